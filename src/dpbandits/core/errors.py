"""The one exception for wrong input: its text is shown to the user as a single line."""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """What was given, where, and what is allowed; the command line prints it and exits with 2."""


def nearest(word: str, allowed: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest allowed one, then all of them."""
    names = list(map(str, allowed))
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'? " if close else ""
    return f"{hint}allowed: {', '.join(names) or 'none'}"
