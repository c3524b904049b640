"""Wrong input, shown to the user as a single line; and proofs that fail, shown to the author."""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """What was given, where, and what is allowed; the command line prints it and exits with 2."""


class ProofError(RuntimeError):
    """A certificate or a step of a proof no longer holds: the code is wrong, and no verdict is."""


def require_proof(condition: bool, what: str) -> None:
    """Go on only if it is proved; unlike `assert`, also under `python -O`."""
    if not condition:
        raise ProofError(what)


def nearest(word: str, allowed: Iterable[str], instead: str = "") -> str:
    """A hint for a misspelt name: the nearest allowed one and all of them; `instead` of many."""
    names = list(map(str, allowed))
    lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(str(word).lower(), lower, n=1, cutoff=0.5)
    hint = f"did you mean '{lower[close[0]]}'? " if close else ""
    many = instead and len(names) > 12
    return hint + (instead if many else f"allowed: {', '.join(names) or 'none'}")
