"""The row, the plot and the certificate of each refutation have the same numbers, to all printed
digits. All are read from the committed files."""

import csv
import json
import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from scratch import ROOT

from dpbandits.reproduction.files import read_rows
from dpbandits.reproduction.ledger.claims import claims

TEXTS = ("counterexample", "measured", "bound")
DRAWN = ("x", "measured", "low", "high", "at_least", "at_most", "repaired_bound")
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
OTHER_PLOTS = {  # the certificate's instance is not in the plot
    "it shows the growth at smaller sizes": {
        "FL-A5.2c", "FL-E2-M", "FL-E3", "FL-PSI-forms", "FL-T5.6", "US-A2.3",
    },
    "it shows the excess over 1": {"US-L4.4.spectrum"},
}  # fmt: skip
POINTS = Path(__file__).with_name("points.csv")  # of the run that the published ledger is of


@cache
def refuted() -> dict[str, dict[str, str]]:
    rows = read_rows(ROOT / "figures/claims.csv")
    return {Path(row["certificate"]).stem: row for row in rows if row["certificate"]}


@cache
def certificate(stem: str) -> dict:
    return json.loads((ROOT / f"certificates/{stem}.json").read_text(encoding="utf-8"))


@cache
def points(stem: str) -> list[dict[str, str]]:
    row = refuted()[stem]
    named = (row["id"], row["reading"])
    return [point for point in read_rows(POINTS) if (point["id"], point["reading"]) == named]


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


def rationals(part) -> list[Fraction]:
    if isinstance(part, dict | list):
        inner = part.values() if isinstance(part, dict) else part
        return [x for each in inner for x in rationals(each)]
    number = re.fullmatch(r"-?\d[\d./e+-]*", str(part), re.IGNORECASE)
    return [Fraction(str(part))] if number else []


def sides(stem: str) -> tuple[Fraction, Fraction]:
    enclosures = certificate(stem)["enclosures"]
    return Fraction(enclosures["left"][0]), Fraction(enclosures["right"][1])


@pytest.mark.parametrize("stem", sorted(refuted()))
def test_row_has_both_sides_of_its_certificate(stem):
    """As they are, as their quotient, in units of epsilon, or (KL-S4.4-baselines, whose sides are
    probabilities of the better arm) as the reward 1/2 + probability/10."""
    row = refuted()[stem]
    assert certificate(stem)["statement"] == row["statement"]
    printed = [*numbers(" ; ".join(row[text] for text in (*TEXTS, "slack")))]
    left, right = sides(stem)
    scale = Fraction(certificate(stem)["given"].get("epsilon", "1")) or 1
    for value in sides(stem):
        forms = [value, -value, value / scale, Fraction(1, 2) + value / 10]
        forms += [left / right] if right else []
        trivial = value in (0, scale) or value == left == right
        assert trivial or any(same(each, form) for each in printed for form in forms), float(value)


@pytest.mark.parametrize("stem", sorted(refuted()))
def test_points_of_the_plot_are_in_the_row_or_the_certificate(stem):
    """A point that violates the statement is a number of the row or of the certificate; if the
    claim has no check, the point and its limit are both sides of the inequality."""
    row, left_right = refuted()[stem], sides(stem)
    beyond = [point for point in points(stem) if point["beyond"] == "True"]
    assert beyond
    claim = claims()[row["id"]]
    if not claim.check and not any(reading.check for reading in claim.readings):
        (point,) = beyond
        limit = point["at_most"] or point["at_least"]
        for name, value in zip((point["measured"], limit), left_right, strict=True):
            assert Fraction(name) == pytest.approx(value, rel=1e-5)
        return
    printed = [*numbers(" ; ".join(row[text] for text in (*TEXTS, "slack", "supremum")))]
    values = rationals([point[name] for point in beyond for name in ("measured", "low", "high")])
    agrees = any(same(each, value) for each in printed for value in values)
    places = rationals([point["x"] for point in beyond])  # delta at the printed epsilon
    agrees |= any(x == pytest.approx(sides(stem)[1], rel=1e-5) for x in places)
    assert agrees == (stem not in set().union(*OTHER_PLOTS.values()))


if __name__ == "__main__":  # after a run at the paper scale
    wanted = {(row["id"], row["reading"]) for row in refuted().values()}
    found = [
        row
        for path in sorted((ROOT / "results/claims").glob("*/points.csv"))
        for row in read_rows(path)
        if (row["id"], row["reading"]) in wanted
    ]
    columns = ["id", "reading", "x", "measured", "low", "high", "at_most", "at_least"]
    columns += ["repaired_bound", "beyond"]
    with open(POINTS, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(found)
