"""Readings that one inequality between numbers refutes, and values that a formula gives."""

import re
from fractions import Fraction
from typing import Any

from dpbandits.core.errors import InputError
from dpbandits.core.models import Model

POWER = re.compile(r"(-?\d+)\*\*(-?\d+)")


class Inequality(Model):
    """A false inequality `left <= right` between numbers that a refuted reading implies."""

    fails: str  # what would have to hold, in words
    given: dict[str, Any]  # exact parameters: whole numbers, "1/3", "10**-13", lists of these
    data: list[Any] | None = None  # the data set, as check.py reads it, where there is one
    neighbour: list[Any] | None = None
    python: str  # computes `left` and `right` from them
    theorem: str = ""  # its verifier in certificates/check.py; without one there is no certificate
    repaired: str = ""  # the true bound in place of `right`
    what: str = "left side"  # in words
    at: str = "counterexample"

    @property
    def sets(self) -> dict[str, list[Any]]:
        """The data sets that it has."""
        return {name: x for name in ("data", "neighbour") if (x := getattr(self, name)) is not None}

    def certificate(self, step: str) -> dict[str, Any]:
        """Its certificate, where `step` of the printed proof breaks."""
        made = self._made(step)
        low, high = made["enclosures"]["left"][0], made["enclosures"]["right"][1]
        if not Fraction(low) > Fraction(high):
            text = f"left = {low} is not proved to exceed right = {high}"
            raise ValueError(f"{self.fails}: {text}")
        return made

    def _made(self, step: str, **changed) -> dict[str, Any]:
        from dpbandits.reproduction.ledger.certificates import inequality

        given = exact(self.given | changed)
        return inequality(self.theorem, self.fails, step, given, self.python, **self.sets)

    def sides(self, **changed) -> tuple[float, float]:
        """The left side from below and the right one from above, with some parameters changed."""
        enclosures = self._made("", **changed)["enclosures"]
        return float(enclosures["left"][0]), float(enclosures["right"][1])

    def found(self):
        """The numbers `left`, `right` and their `ratio`, and the points."""
        from dpbandits.reproduction.ledger.certificates import both_sides
        from dpbandits.reproduction.ledger.points import points_of

        self.certificate("")  # refuses an inequality that is not false
        left, right = self.sides()
        numbers = {"left": left, "right": right, "ratio": left / right if right else float("inf")}
        limits = {"at_most": right, "what": self.what, "at": [self.at]}
        if self.repaired:
            python = f"{self.python}\nright = {self.repaired}"
            known = exact(self.given) | self.sets
            limits["repaired"] = float(both_sides(known, python)["right"].mid())
        return numbers, points_of([left], **limits)


class Formula(Model):
    """The points of a reading, where they are a formula."""

    x: tuple[float, ...]
    names: tuple[str, ...] = ()  # in place of x
    python: str  # computes `measured`, `at_most`, `at_least`, `repaired` or some from the array x
    what: str = ""  # if the reading fails: `measured` in words
    variable: str = ""  # x in words

    def points(self, numbers: dict[str, Any]):
        """What it gives; the formula may use the numbers of the finding."""
        import numpy as np

        from dpbandits.reproduction.ledger.points import points_of

        known = {"x": np.array(self.x), "exp": np.exp, "log": np.log, "sqrt": np.sqrt}
        known |= {"where": np.where, "nan": np.nan} | numbers
        exec(self.python, known)
        found = {n: known[n] for n in ("at_most", "at_least", "repaired") if n in known}
        named = {"what": self.what, "x": self.variable, "at": self.names or self.x}
        return points_of(np.broadcast_to(known["measured"], len(self.x)), **named, **found)


def exact(value: Any) -> Any:
    """Whole numbers, and texts like 1/3 or 10**-13, as exact rationals; also in lists and dicts."""
    if isinstance(value, dict):
        return {key: exact(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [exact(part) for part in value]
    if isinstance(value, str):
        if power := POWER.fullmatch(value):
            return Fraction(int(power[1])) ** int(power[2])
        return Fraction(value)
    if isinstance(value, bool | float):
        raise InputError(f"given {value!r}: allowed: whole numbers, or texts as 1/3 or 10**-13")
    return value
