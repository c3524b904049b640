"""The command line, derived from functions: a parameter is an argument, a keyword an option.

A parameter is annotated `Annotated[parse, "what it is"]`; `parse` makes a value of its text, or is
a `Literal` of choices, or `bool` for a flag. A tuple as default takes several words. The docstring
is the help.
"""

import argparse
import inspect
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin

from dpbandits.core.documents import parse_json
from dpbandits.core.errors import InputError


class Parser(argparse.ArgumentParser):
    """argparse, but a wrong call gives one line instead of the usage text, and `--s` is a key of
    its own, not short for `--set`."""

    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def parser_of(commands: list[Callable], about: str, version: str) -> Parser:
    parser = Parser(prog="dpbandits", description=about)
    parser.add_argument("--version", action="version", version=f"dpbandits {version}")
    added = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    for function in commands:
        text = inspect.getdoc(function) or ""
        help = text.split("\n")[0].rstrip(".")
        name, form = function.__name__.strip("_"), argparse.RawDescriptionHelpFormatter
        add = added.add_parser(name, help=help, description=text, formatter_class=form)
        add.set_defaults(command=function)
        for name, parameter in inspect.signature(function).parameters.items():
            _add(add, name, parameter)
    return parser


def _add(parser: Parser, name: str, parameter: inspect.Parameter) -> None:
    (parse, about), default = get_args(parameter.annotation), parameter.default
    needed = default is parameter.empty
    shown = "" if needed or default in (None, False, ()) else f" (default: {default})"
    options: dict[str, Any] = {"help": (about + shown).replace("%", "%%")}
    if parse is bool:
        options["action"] = "store_true"
    elif get_origin(parse) is Literal:
        options["choices"] = get_args(parse)
    else:
        options["type"] = _converter(parse)
    if default == ():
        options |= {"nargs": "*", "default": []}
        options |= {"action": "extend"} if parameter.kind is parameter.KEYWORD_ONLY else {}
    elif not needed and parse is not bool:
        options["default"] = default
    if parameter.kind is parameter.KEYWORD_ONLY:
        flags = [f"--{name.replace('_', '-')}", *(["-o"] if name == "output" else [])]
        required = {} if parse is bool else {"required": needed}
        parser.add_argument(*flags, **options | required)
    else:
        parser.add_argument(name, **options | ({} if needed or default == () else {"nargs": "?"}))


def _converter(parse: Callable[[str], Any]):
    def convert(text: str):
        try:
            if not text:
                raise ValueError("empty; allowed: a value, or leave it out")
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def call(parser: Parser, arguments=None) -> int:
    """Call the command; `--key value` that is no option of it is one of the keys of --set."""
    parsed, rest = parser.parse_known_args(arguments)
    flags, values = rest[::2], rest[1::2]
    if rest and not (hasattr(parsed, "set") and len(flags) == len(values)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options = vars(parsed)
    if rest:
        keys = (flag.lstrip("-") for flag in flags)
        options["set"] += zip(keys, map(value_of, values), strict=True)
    function = options.pop("command")
    kinds = inspect.signature(function).parameters.items()
    words = [options.pop(n) for n, p in kinds if p.kind is not p.KEYWORD_ONLY]
    return function(*words, **options) or 0


# Values from texts
def number(text: str) -> float:
    value = float(text) if text.isascii() else float("nan")
    if not value >= 0:
        raise ValueError(f"{text}: allowed: a number from 0")
    return value


def whole(text: str) -> int:
    value = number(text)
    if value > 2**53 or value != int(value):
        raise ValueError(f"{text}: allowed: a whole number")
    return int(value)


def listed(parse: Callable[[str], Any]) -> Callable[[str], list]:
    """A comma-separated list, without repetitions."""
    return lambda text: list(dict.fromkeys(parse(item.strip()) for item in text.split(",")))


def value_of(text: str) -> Any:
    """What is typed for a key: JSON, a number (also inf), or the text itself."""
    if text.startswith(("[", "{", '"')) or text in ("true", "false", "null"):
        return parse_json(text, text)
    for kind in (int, float) if text.isascii() and "_" not in text else ():
        with suppress(ValueError):
            value = kind(text)
            too_large = value in (math.inf, -math.inf) and "inf" not in text.lower()
            return text if too_large else value
    return text


def pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise ValueError(f"{text}: allowed: key=value")
    return key, value_of(value)


# Options of several commands
Json = Annotated[bool, "print JSON"]
Keys = Annotated[pair, "KEY=VALUE ...: its parameters; see: dpbandits list NAME"]
Epsilons = Annotated[listed(number), "also delta at these epsilon: E[,E...]"]
