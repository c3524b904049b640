"""Readings that one inequality between numbers refutes."""

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
    python: str  # computes `left` and `right` from them
    theorem: str = ""  # its verifier in certificates/check.py; without one there is no certificate
    repaired: str = ""  # the true bound in place of `right`, for the plot
    axis: str = "left side"  # of the plot

    def sides(self, name: str, step: str):
        """The numbers `left`, `right` and their `ratio` at the parameters, the points of the plot,
        and the certificate (None without a theorem)."""
        from dpbandits.core.certificates import both_sides, inequality
        from dpbandits.core.points import points

        given = {key: exact(value) for key, value in self.given.items()}
        certificate = inequality(self.theorem, self.fails, step, given, self.python)
        enclosures = certificate["enclosures"]
        low, high = enclosures["left"][0], enclosures["right"][1]
        if not Fraction(low) > Fraction(high):
            raise ValueError(f"{name}: left = {low} is not proved to exceed right = {high}")
        left, right = float(low), float(high)
        numbers = {"left": left, "right": right, "ratio": left / right if right else float("inf")}
        limits = {"at_most": right}
        if self.repaired:
            bound = both_sides(given, f"{self.python}\nright = {self.repaired}")["right"]
            limits["repaired"] = float(bound.mid())
        plot = points(["counterexample"], [left], axes=("", self.axis), **limits)
        return numbers, plot, certificate if self.theorem else None


def exact(value: Any) -> Any:
    """A whole number, or a text like 1/3 or 10**-13, as an exact rational; also inside lists."""
    if isinstance(value, list | tuple):
        return [exact(part) for part in value]
    if isinstance(value, str):
        if power := POWER.fullmatch(value):
            return Fraction(int(power[1])) ** int(power[2])
        return Fraction(value)
    if isinstance(value, bool | float):
        raise InputError(f"given {value!r}: allowed: whole numbers, or texts as 1/3 or 10**-13")
    return value
