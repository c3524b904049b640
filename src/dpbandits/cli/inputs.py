"""Values from the texts of command-line options; wrong ones raise InputError."""

import math
import os
import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from dpbandits.core.documents import parse_json, read_json, read_yaml
from dpbandits.core.errors import InputError
from dpbandits.core.files import try_output
from dpbandits.core.models import parse_epsilon, shown

PICTURES = (".png", ".pdf", ".svg")


def items(text: str, what: str) -> list[str]:
    """The items of a comma-separated list, without repetitions."""
    names = [item.strip() for item in text.split(",")]
    if not all(names):
        raise InputError(f"{what}: empty item in '{text}'; allowed: names separated by commas")
    return list(dict.fromkeys(names))


def whole_number(text: str, where: str, least: int = 1) -> int:
    try:
        number = Decimal(text if text.isascii() and len(text) < 50 else "nan")
    except InvalidOperation:
        number = Decimal("nan")
    if not (number.is_finite() and least <= number <= 2**53 and number == int(number)):
        raise InputError(f"{where} = {shown(text)}: allowed: a whole number from {least} to 2^53")
    return int(number)


def parse_rounds(text: str, horizon: int) -> list[int]:
    rounds = [whole_number(item, "--at") for item in items(text, "--at")]
    if max(rounds) > horizon:
        raise InputError(f"--at = {max(rounds)}: allowed: rounds from 1 to the horizon {horizon}")
    return sorted(set(rounds))


def parse_epsilons(entry, entries, text: str | None) -> list[float]:
    """The epsilons for one of the algorithms `entries`.

    An algorithm that is not private runs once, at inf, when others of them are private.
    """
    from dpbandits.core.algorithms import check_epsilon

    if text is None:
        if entry.private:
            raise InputError(f"--epsilon is required: '{entry.name}' is private")
        return [math.inf]
    epsilons = dict.fromkeys(parse_epsilon(item, "--epsilon") for item in items(text, "--epsilon"))
    if not entry.private and any(other.private for other in entries):
        return [math.inf]
    return [check_epsilon(entry, epsilon, "--epsilon") for epsilon in epsilons]


def at_least_zero(text: str, where: str) -> float:
    try:
        number = float(text) if text.isascii() else -1.0
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise InputError(f"{where} = {shown(text)}: allowed: a number from 0")
    return number


def read_setting(text: str) -> dict[str, Any]:
    """A setting from JSON text, or from a JSON or YAML file."""
    if not text.strip() or text.lstrip().startswith(("{", "[")):
        return parse_json(text, "--setting (allowed: JSON text, or a JSON or YAML file)")
    return (read_json if text.endswith(".json") else read_yaml)(text)


def writable(name: str, *endings: str) -> Path:
    """The path of a file to write, or of a device or pipe; tried now, before the computation."""
    path = Path(name)
    try:
        special = path.exists() and not (path.is_file() or path.is_dir())
        if not special and path.suffix.lower() not in endings:
            raise InputError(
                f"--output = {shown(name)}: allowed: a name that ends in {', '.join(endings)}"
            )
        try_output(path)
    except OSError as error:
        why = f"{error.strerror}; allowed: a file in a folder that exists and can be written to"
        raise InputError(f"--output = {shown(name)}: {why}") from None
    return path


def writable_folder(name: str) -> Path:
    """The path of a folder to write into, which need not exist; tried before the computation."""
    path = Path(name)
    try:
        there = next(place for place in (path, *path.absolute().parents) if place.exists())
        try_output(there / f".{os.getpid()}")  # a name that is free
    except OSError as error:
        why = f"{error.strerror}; allowed: a folder that can be written to"
        raise InputError(f"--output = {shown(name)}: {why}") from None
    return path


def parameters(options) -> dict[str, str]:
    """The parameters of a mechanism: --set key=value, and the options with a name of their own."""
    values: dict[str, str] = {}
    for item in options.set:
        key, equals, value = item.partition("=")
        joined = re.match(r"[\w.+-]*,\w+=", value)
        if not equals or not key or key in values or joined:
            form = "key=value, each key once, with spaces between: --set a=1 b=2"
            raise InputError(f"--set {item}: allowed: {form}")
        values[key] = value
    named = ("data", "actions", "reference", "neighbours")
    return values | {key: getattr(options, key) for key in named if getattr(options, key)}
