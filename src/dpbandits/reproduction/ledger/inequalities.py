"""Readings that one inequality between numbers refutes, and plots that are formulas."""

import re
from fractions import Fraction
from typing import Any, Literal

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
    repaired: str = ""  # the true bound in place of `right`, for the plot
    point: str = "counterexample"  # its name in the plot
    axis: str = "left side"
    log: Literal["", "y"] = ""

    @property
    def sets(self) -> dict[str, list[Any]]:
        """The data sets that it has."""
        return {name: x for name in ("data", "neighbour") if (x := getattr(self, name)) is not None}

    def certificate(self, step: str) -> dict[str, Any]:
        """Its certificate, where `step` of the printed proof breaks."""
        from dpbandits.reproduction.ledger.certificates import inequality

        given = exact(self.given)
        made = inequality(self.theorem, self.fails, step, given, self.python, **self.sets)
        low, high = made["enclosures"]["left"][0], made["enclosures"]["right"][1]
        if not Fraction(low) > Fraction(high):
            text = f"left = {low} is not proved to exceed right = {high}"
            raise ValueError(f"{self.fails}: {text}")
        return made

    def sides(self):
        """The numbers `left`, `right` and their `ratio`, and the points of the plot."""
        from dpbandits.reproduction.ledger.certificates import both_sides
        from dpbandits.reproduction.ledger.points import points

        enclosures = self.certificate("")["enclosures"]
        left, right = float(enclosures["left"][0]), float(enclosures["right"][1])
        numbers = {"left": left, "right": right, "ratio": left / right if right else float("inf")}
        limits = {"at_most": right, "axes": ("", self.axis), "log": self.log}
        if self.repaired:
            python = f"{self.python}\nright = {self.repaired}"
            known = exact(self.given) | self.sets
            limits["repaired"] = float(both_sides(known, python)["right"].mid())
        return numbers, points([self.point], [left], **limits)


class Curve(Model):
    """The plot of a reading, where it is a formula."""

    x: tuple[float, ...]
    names: tuple[str, ...] = ()  # of the points, in place of x
    python: str  # computes `measured`, `at_most`, `at_least`, `repaired` or some from the array x
    axes: tuple[str, str]
    log: Literal["", "x", "y", "xy"] = ""
    panel: str = ""

    def points(self, numbers: dict[str, Any]):
        """Its points; the formula may use the numbers of the finding."""
        import numpy as np

        from dpbandits.reproduction.ledger.points import points

        known = {"x": np.array(self.x), "exp": np.exp, "log": np.log, "sqrt": np.sqrt}
        known |= {"where": np.where, "nan": np.nan} | numbers
        exec(self.python, known)
        found = {n: known[n] for n in ("at_most", "at_least", "repaired") if n in known}
        x = self.names or self.x
        look = {"axes": self.axes, "log": self.log, "panel": self.panel}
        return points(x, known["measured"], **look, **found)


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
