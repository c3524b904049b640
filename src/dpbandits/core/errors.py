"""Errors: wrong input, shown to the user as one line, and proofs that fail."""

import difflib
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

Entry = TypeVar("Entry")


class InputError(ValueError):
    """Wrong input: what was given, where, and what is allowed. The command line prints the line and
    exits with 2."""


class UsedUp(InputError):
    """A person has been in as many rounds as the promise allows."""


class StoreError(RuntimeError):
    """The file of a learner cannot be read or written now: locked too long, a full disk, damaged.
    The call has not happened."""

    busy = False  # because others use it


class ProofError(RuntimeError):
    """A certificate or a step of a proof no longer holds, so that the code must be wrong."""


SIMULATE = ("flint", "numba", "scipy", "sklearn")  # the packages of the extra `simulate`


@contextmanager
def extras() -> Iterator[None]:
    """Where a package is missing that an extra of ours brings, one line says so (also around a
    function, as its decorator)."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "dpbandits").partition(".")[0]
        if name == "dpbandits":
            raise
        extra = "simulate" if name in SIMULATE else "reproduction"
        raise InputError(f'this needs {name}: pip install "dpbandits[{extra}]"') from None


LONG_WORD = re.compile(r"(\S{60})\S{240,}")


def one_line(text: str) -> str:
    """A text on one line, without characters that steer a terminal, very long words cut."""
    line = "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
    return LONG_WORD.sub(r"\1...", line)


def said(error: BaseException) -> str:
    """`TYPE: MESSAGE` of an error that code of others raised."""
    return one_line(f"{type(error).__name__}: {error}")


class Watch:
    """Warns whoever runs this process if most of the first values are cut short."""

    def __init__(self, warning: str):
        self.warning, self.left, self.cut = warning, 50, 0

    def look(self, cut: bool, level: int) -> None:
        self.left -= 1
        self.cut += bool(cut)
        if self.left == 0 and self.cut > 25:
            warnings.warn(self.warning, stacklevel=level + 2)


def report(line: str) -> None:
    print(f"dpbandits: {one_line(line)}", file=sys.stderr)


def nearest(word: str, allowed: Iterable[str], instead: str = "") -> str:
    """A hint for a misspelt name: the names that begin with it or the nearest one, and all of them,
    or the text `instead` if there are more than 12."""
    names = list(map(str, allowed))
    longer = [name for name in names if name.lower().startswith(str(word).lower())]
    if 0 < len(longer) <= 12 and len(str(word)) > 2 and len(names) > 12:
        return f"did you mean {' or '.join(longer)}? {instead}".rstrip()
    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(str(word).lower()[:100], by_lower, n=1, cutoff=0.5)
    hint = f"did you mean '{by_lower[close[0]]}'? " if close else ""
    if instead and len(names) > 12:
        return hint + instead
    return f"{hint}allowed: {', '.join(names) or 'none'}"


def refuse_unknown(keys: Iterable[str], allowed: Iterable[str], where: str) -> None:
    """InputError for the first key that is not allowed, with the nearest one."""
    names = list(allowed)
    for key in keys:
        if key not in names:
            raise InputError(f"{where}: unknown key '{key}'; {nearest(key, names)}")


def entry_of(name: str, entries: Mapping[str, Entry], unknown: str, instead: str) -> Entry:
    """The entry of a name, in any case; if there is none, InputError: `unknown`, name and hint."""
    if not isinstance(name, str):
        raise InputError(f"{unknown} {name!r:.60}; allowed: a text")
    for key, entry in entries.items():
        if key.lower() == name.lower():
            return entry
    raise InputError(f"{unknown} '{one_line(name)}'; {nearest(name, sorted(entries), instead)}")
