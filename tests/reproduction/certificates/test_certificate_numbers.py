"""The row and the certificate of each refutation have the same numbers, to all printed digits. Both
are read from the committed files."""

import json
import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from scratch import ROOT

from dpbandits.reproduction.files import read_rows

TEXTS = ("counterexample", "measured", "bound")
NUMBER = re.compile(
    r"""(?<![\w.^_{\\/*'-])(?P<sign>-?)(?:
    \\frac(?P<top>\{\d+\}|\d)(?P<bottom>\{\d+\}|\d)
    | (?P<factor>\d+(?:\.\d+)?)\\cdot10\^\{?(?P<shift>-?\d+)\}?
    | (?P<base>\d+)\^(?:\{(?P<power>-?\d+)\}|(?P<digit>\d+))
    | (?P<ratio>\d+/\d+)
    | (?P<plain>\d+(?:\.\d+)?(?:e[+-]?\d+)?)
    )(?![\w^]|\.\d)""",
    re.VERBOSE,
)


@cache
def refuted() -> dict[str, dict[str, str]]:
    rows = read_rows(ROOT / "figures/claims.csv")
    return {Path(row["certificate"]).stem: row for row in rows if row["certificate"]}


@cache
def certificate(stem: str) -> dict:
    return json.loads((ROOT / f"certificates/{stem}.json").read_text(encoding="utf-8"))


def numbers(text: str):
    """(value, half a unit of its last digit) of every number in a text, as TeX or not."""
    for match in NUMBER.finditer(re.sub(r"\(\d+\)", "", text)):  # without numbers of equations
        unit = Fraction(0)
        if match["top"]:
            size = Fraction(int(match["top"].strip("{}")), int(match["bottom"].strip("{}")))
        elif match["base"]:
            size = Fraction(int(match["base"])) ** int(match["power"] or match["digit"])
        elif match["ratio"]:
            size = Fraction(match["ratio"])
        else:
            digits, _, power = (match["plain"] or match["factor"]).partition("e")
            unit = Fraction(10) ** (int(power or match["shift"] or 0))
            size = Fraction(digits) * unit
            unit /= 10 ** len(digits.partition(".")[2])
        yield (-size if match["sign"] else size), unit / 2


def same(number: tuple[Fraction, Fraction], value: Fraction) -> bool:
    """Whether a number of a text is this value, up to half a unit of its last digit."""
    return abs(value - number[0]) <= number[1] + abs(value) / 10**9


def sides(stem: str) -> tuple[Fraction, Fraction]:
    enclosures = certificate(stem)["enclosures"]
    return Fraction(enclosures["left"][0]), Fraction(enclosures["right"][1])


@pytest.mark.parametrize("stem", sorted(refuted()))
def test_row_has_both_sides_of_its_certificate(stem):
    """As they are, as their quotient, or in units of epsilon."""
    row = refuted()[stem]
    assert certificate(stem)["statement"] == row["statement"]
    printed = [*numbers(" ; ".join(row[text] for text in (*TEXTS, "slack")))]
    left, right = sides(stem)
    scale = Fraction(certificate(stem)["given"].get("epsilon", "1")) or 1
    for value in sides(stem):
        forms = [value, -value, value / scale]
        forms += [left / right] if right else []
        trivial = value in (0, scale) or value == left == right
        assert trivial or any(same(each, form) for each in printed for form in forms), float(value)
