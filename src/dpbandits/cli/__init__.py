"""Simulate and audit private algorithms, draw figures, and check claims and results.

Wrong input gives one line on stderr and exit code 2, and nothing is written. Each command's module
is imported when the command is called, so that the command line starts quickly.
"""

import argparse
import errno
import importlib
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from dpbandits import __version__
from dpbandits.core.errors import InputError, ProofError, nearest, one_line, outside
from dpbandits.core.process import INTERRUPTED, LINE, one_line_ends

LIST_KINDS = ("algorithms", "claims", "figures", "mechanisms", "studies")
NEW_KINDS = ("algorithm", "study", "figure", "claim", "mechanism", "paper")
SHELLS = ("bash", "zsh", "fish")
SCALES = ("smoke", "paper", "extended")
SEVERITIES = ("conclusion", "constant", "condition", "step", "wording", "experiment")
LOGS = ("x", "y", "xy", "none")
BANDS = ("mean", "spread", "none")


class Parser(argparse.ArgumentParser):
    """argparse, but a wrong call gives one line instead of the usage text."""

    def error(self, message: str) -> NoReturn:
        argument, invalid_choice, rest = message.partition(": invalid choice: ")
        if invalid_choice:
            word, *choices = re.findall(r"[\w-]+", rest.replace("(choose from ", ""))
            argument = argument.removeprefix("argument ")
            raise InputError(f"{argument} = {word}: {nearest(word, choices)}")
        raise InputError(f"{message} (see {self.prog} --help)")

    def print_help(self, file=None) -> None:  # argparse's own ignores a full disk
        print(self.format_help(), end="", file=file)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if sys.stdout:  # now, while a full disk can still be answered
            sys.stdout.flush()
        super().exit(status, message)


class Version(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        print(f"dpbandits {__version__}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        with one_line_ends():
            options = build_parser().parse_args(arguments)
            _refuse_empty(options)
            code = _function(options.action)(options) or 0
            if sys.stdout:  # closed by `>&-`
                sys.stdout.flush()
            return code
    except InputError as error:
        return _refused(str(error))
    except ProofError as error:  # a check of our own failed: not the user's mistake
        print(f"dpbandits: {one_line(str(error))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(LINE, file=sys.stderr)
        return INTERRUPTED
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("dpbandits"):
            raise
        return _refused(f"this needs {error.name}: pip install 'dpbandits[reproduction]'")
    except BrokenPipeError:  # e.g. `dpbandits list | head`
        sys.stderr.close()
        return 0
    except MemoryError as error:
        return _refused(f"not enough memory: {error}")
    except OSError as error:
        if error.errno == errno.ENOSPC:
            with suppress(OSError):  # buffered output cannot be written either
                sys.stdout.close()
            return _refused("no space left where the output goes")
        line = _raised_outside(error)
        return _refused(line or f"{error.filename or 'a file'}: {error.strerror or error}")
    except outside() as error:  # it may come from the code of an installed package
        return _by_others(error)


def _refuse_empty(options: argparse.Namespace) -> None:
    """An option that is given has a value: an empty one often comes from an unset variable."""
    for name, value in vars(options).items():
        if value == "":
            raise InputError(f"{name.replace('_', '-')}: empty; allowed: a value, or leave it out")


def _refused(line: str) -> int:
    print(f"dpbandits: {one_line(line)}", file=sys.stderr)
    return 2


def _by_others(error: BaseException) -> int:
    if line := _raised_outside(error):
        return _refused(line)
    raise error


def _raised_outside(error: BaseException) -> str | None:
    registry = sys.modules.get("dpbandits.core.registry")  # not imported: none of it has run
    return registry.raised_outside(error) if registry else None


def _function(name: str):
    """The function MODULE.NAME of this package, imported on demand."""
    module, function = name.split(".")
    return getattr(importlib.import_module(f"{__name__}.{module}"), function)


def build_parser() -> Parser:
    parser = Parser(prog="dpbandits", description=__doc__.split("\n")[0])
    parser.add_argument("--version", action=Version, nargs=0, help="show the version")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)

    add = commands.add_parser(
        "list", help="list entries with their file and line: " + ", ".join(LIST_KINDS)
    )
    add.add_argument("kind", nargs="?", choices=LIST_KINDS, help="only these (default: all)")
    add.add_argument("--paper", metavar="KEY", help="only entries of one paper, e.g. hu")
    add.add_argument("--figure", metavar="NAME", help="the claims to which a figure is relevant")
    add.add_argument("--claim", metavar="ID", help="the figures that are relevant to a claim")
    add.add_argument("--severity", choices=SEVERITIES, help="claims that fail with this severity")
    add.add_argument("--json", action="store_true", help="print JSON")
    add.set_defaults(action="listing.list_entries")

    add = commands.add_parser(
        "simulate", add_help=False, help="run algorithms in one setting; write regret to a CSV"
    )
    add.add_argument(
        "algorithms",
        metavar="ALGORITHM[,ALGORITHM...]",
        help="see: dpbandits list algorithms; NAME --help lists the keys of its setting",
    )
    add.add_argument("-h", "--help", action=SettingHelp, nargs=0, help="show this")
    add.add_argument("--setting", required=True, help="JSON text, or a JSON or YAML file")
    add.add_argument(
        "--epsilon", help="E[,E...], above 0; private algorithms need it, others take inf"
    )
    add.add_argument("--horizon", required=True, help="rounds T")
    add.add_argument("--seeds", required=True, help="number of independent runs")
    add.add_argument("--first-seed", default="0", help="seeds are S..S+N-1 (default: 0)")
    add.add_argument("--at", help="rounds t1,t2,... (default: at most 50, log-spaced, up to T)")
    add.add_argument(
        "-o",
        "--output",
        metavar="FILE.csv",
        required=True,
        help="its columns: algorithm,epsilon,seed,t,regret",
    )
    add.add_argument(
        "--engine",
        choices=("fast", "plain"),
        default="fast",
        help="plain: the algorithm's own file, as the paper prints it (slow)",
    )
    add.set_defaults(action="simulating.simulate")

    add = commands.add_parser("plot", help="plot the regret in a file that simulate wrote")
    add.add_argument("file", metavar="FILE.csv")
    add.add_argument("-o", "--output", metavar="PICTURE", help="PNG, PDF or SVG (default: .png)")
    add.add_argument(
        "--band", choices=BANDS, default="mean", help="95%% interval of the mean, or the range"
    )
    add.add_argument("--log", choices=LOGS, default="x", help="logarithmic axes (default: x)")
    add.set_defaults(action="plotting.plot")

    add = commands.add_parser("draw", help="draw one figure, as its notebook does")
    add.add_argument("figure", metavar="FIGURE", help="e.g. hu/fig1; see: dpbandits list figures")
    add.add_argument("--scale", choices=SCALES, help="of the tables (default: config.yaml's)")
    add.add_argument("-o", "--output", metavar="FOLDER", help="default: results/figures/PAPER")
    add.add_argument("--needs", action="store_true", help="only list its tables that are outdated")
    add.set_defaults(action="drawing.draw")

    _claim_commands(commands)
    _author_commands(commands)
    _audit_commands(commands)
    _compare_command(commands)
    _verify_command(commands)
    add = commands.add_parser("completion", help="print a script for completion with the Tab key")
    add.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))
    add.add_argument("command", nargs="?", help=argparse.SUPPRESS)  # with `words`: the command
    add.set_defaults(action="completing.completion", commands=commands.choices)
    return parser


def _claim_commands(commands) -> None:
    add = commands.add_parser("check", help="judge claims again and print their rows")
    add.add_argument("claims", nargs="*", metavar="CLAIM_ID")
    add.add_argument("--all", action="store_true", help="every claim")
    add.add_argument("--json", action="store_true", help="print the rows as JSON")
    add.set_defaults(action="checking.check")

    add = commands.add_parser("refute", help="explain a refutation step by step")
    add.add_argument("claim", metavar="CLAIM_ID")
    add.add_argument("--json", action="store_true", help="print its certificates")
    add.set_defaults(action="refute.refute")


def _author_commands(commands) -> None:
    add = commands.add_parser("new", help="write a skeleton that runs: " + ", ".join(NEW_KINDS))
    add.add_argument("kind", metavar="KIND", choices=NEW_KINDS, help=", ".join(NEW_KINDS))
    add.add_argument("name", metavar="NAME", help="for a claim its id, for a paper its key")
    add.add_argument("--paper", metavar="KEY", help="its paper, unless NAME is KEY/NAME")
    add.set_defaults(action="skeletons.new")

    add = commands.add_parser("test", help="check a paper's package against the contracts")
    add.add_argument("paper", metavar="PAPER", help="its key, or the name of its package")
    add.set_defaults(action="contracts.test")


def _verify_command(commands) -> None:
    add = commands.add_parser(
        "verify",
        help="check the files of an archive or of results against their checksums",
        description="Check the files of an archive or of results against their checksums. An "
        "archive contains its own checksums, so they reveal damage, but not a change by somebody "
        "who replaced them too; --sha256 compares the archive with a checksum that you have from "
        "elsewhere. --run-code executes the archive's Snakefile and code with your rights, so use "
        "it only if you trust the archive.",
    )
    add.add_argument(
        "archive",
        metavar="ARCHIVE",
        help="results/archive.zip, made by `make archive`, or a folder of results",
    )
    add.add_argument(
        "--run-code",
        action="store_true",
        help="run the archive's code: compute the quickest table of each paper again, and compare",
    )
    add.add_argument("--tables", help="tables to compute instead, with --run-code: PAPER/NAME[,..]")
    add.add_argument("--cores", default="1", help="number of cores for --run-code (default: 1)")
    add.add_argument("--sha256", metavar="DIGITS", help="the expected SHA-256 of the archive")
    add.set_defaults(action="verifying.verify")


def _compare_command(commands) -> None:
    add = commands.add_parser(
        "compare",
        help="compare two folders of results or figures, or two files that simulate wrote",
        description="Compare two folders of results or figures, file by file, or two files that "
        "`simulate` wrote. Prints the largest difference of two means in standard errors; the exit "
        "code is 1 if anything differs.",
    )
    add.add_argument("old", metavar="OLD")
    add.add_argument("new", metavar="NEW")
    add.set_defaults(action="comparing.compare")


def _audit_commands(commands) -> None:
    add = commands.add_parser(
        "audit",
        add_help=False,
        help="compute the privacy loss of a mechanism, learner, library measurement or function",
        description="Compute the privacy loss of a mechanism at its worst neighbours. The method "
        "says what the number is. exact: attained, and no neighbour is worse. certified: computed "
        "by interval arithmetic and rounded up. bound: an upper bound by the theorem that "
        "worst_neighbour names; for your own data also the worst neighbour that a search found, "
        "which gives a lower bound.",
    )
    _mechanism_options(add, "?")
    add.add_argument(
        "--function",
        metavar="PACKAGE.MODULE:NAME",
        help="audit your own Python function of (data, generator) instead: a lower bound from "
        "samples, with --set data='[0,1,1]'; its keys are listed below",
    )
    add.add_argument("--at-epsilon", metavar="E[,E...]", help="also delta at these epsilon")
    add.add_argument(
        "--at-alpha", metavar="A[,A...]", help="also Renyi divergence, and rho of zCDP"
    )
    add.add_argument(
        "--noise",
        choices=("recorded",),
        help="with --function: record a run and replay it on neighbours, without sampling",
    )
    add.add_argument(
        "--learner",
        metavar="NAME",
        help="record a learner's run and replay it on neighbouring rewards, without sampling",
    )
    add.add_argument(
        "--measurement",
        metavar="LIBRARY:NAME",
        help="compare a library's declared loss with the exact one, e.g. opendp:noisy_max",
    )
    add.add_argument(
        "--fail",
        action="store_true",
        help="exit code 1 if --function, --learner or --measurement refutes the claim, for CI",
    )
    add.set_defaults(action="audits.audit")

    add = commands.add_parser(
        "bound",
        add_help=False,
        help="compare a theorem's printed and corrected bounds with the true loss",
    )
    _mechanism_options(add)
    add.add_argument("--at-epsilon", metavar="E[,E...]", help="also delta at these epsilon")
    add.add_argument(
        "--at-alpha", metavar="A[,A...]", help="also Renyi divergence, and rho of zCDP"
    )
    add.set_defaults(action="audits.bound")

    add = commands.add_parser(
        "calibrate", add_help=False, help="find the noise that a target epsilon needs"
    )
    _mechanism_options(add)
    add.add_argument("--target-epsilon")
    add.add_argument("--target-delta", default="0")
    add.add_argument(
        "--target-rho", help="rho of zCDP, from 1e-6 to 1e12, instead of a target epsilon"
    )
    add.set_defaults(action="audits.calibrate")


class MechanismHelp(argparse.Action):
    """--help: the keys of the mechanism that is named before it, otherwise the usage too."""

    def __call__(self, parser, namespace, values, option_string=None):
        name, command = getattr(namespace, "mechanism", None), parser.prog.split()[-1]
        if not name:
            print(parser.format_help())
        print(_function("audits.keys_of")(name, command))
        parser.exit()


class SettingHelp(argparse.Action):
    """--help: the usage, and the keys of the settings of the algorithms named before it."""

    def __call__(self, parser, namespace, values, option_string=None):
        print(parser.format_help())
        if names := getattr(namespace, "algorithms", None):
            print(_function("audits.keys_of_settings")(names))
        parser.exit()


def _mechanism_options(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    about = "see: dpbandits list mechanisms; NAME --help lists its keys"
    parser.add_argument("mechanism", metavar="MECHANISM", nargs=nargs, help=about)
    parser.add_argument("-h", "--help", action=MechanismHelp, nargs=0, help="show this")
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="its parameters"
    )
    for name, about in {
        "data": "your records, for mechanisms that start with kl-",
        "actions": "the actions of one context, for kl-linear and kl-rlhf",
        "reference": "the reference policy; default: uniform",
    }.items():
        parser.add_argument(f"--{name}", metavar="FILE.csv", help=about)
    parser.add_argument("--neighbours", help="comma-separated list of remove, add, swap, flip")
    parser.add_argument("--json", action="store_true", help="print JSON")
