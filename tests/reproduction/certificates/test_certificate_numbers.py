"""The row, the plot and the certificate of each refutation have the same numbers, to all printed
digits. All are read from the committed files."""

import csv
import json
import re
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from scratch import ROOT

from dpbandits.core.files import read_rows
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
PAIR = re.compile(r"(?P<name>\\?[A-Za-z]+(?:_?\d)?) ?= ?(?P<value>.*)", re.DOTALL)
NAMES = {r"\varepsilon": "epsilon", "eps": "epsilon", r"\beta_0": "beta0"}
OTHER_NUMBERS = {  # what the numbers are that are not in the certificate: {(row, text), ...}
    "sampled or simulated, at the scale of the tables": {
        ("HU-T9", "measured"), ("FL-P5.5", "measured"), ("FL-T5.6", "measured"),
        ("US-L4.3", "measured"), ("US-L4.3.order", "measured"), ("US-L4.4", "measured"),
        ("US-L6.2.with-omitted-hypothesis", "measured"), ("US-T4.1", "measured"),
    },
    "the claim's check at other sizes": {
        ("FL-A5.2c", "measured"), ("FL-C3", "measured"), ("FL-E2", "measured"),
        ("FL-E4", "measured"),
        ("FL-LA.2", "measured"), ("FL-PSI-forms", "measured"), ("FL-RDP", "measured"),
        ("FL-S4", "measured"), ("FL-T3.2", "measured"), ("FL-T5.1", "measured"),
        ("US-N1", "measured"), ("US-N1", "counterexample"),
    },
    "the chance of the event, or 1 less it": {
        ("US-L4.3", "bound"), ("US-L4.3.order", "counterexample"), ("US-L4.4", "bound"),
        ("US-L4.4.spectrum", "measured"), ("US-L4.4.fixed-kernel", "measured"),
        ("US-L4.4.fixed-kernel", "bound"), ("US-L6.2", "measured"),
        ("US-L6.2.with-omitted-hypothesis", "bound"), ("US-S6.3-norm.real-draws", "measured"),
        ("US-T4.1.order", "counterexample"), ("US-T4.1.order", "measured"),
        ("US-S4-identical", "measured"),
    },
    "computed from the parameters in words: a size, a sum, a constant, a horizon": {
        ("HU-F17", "counterexample"),
        ("HU-S5-minimax", "counterexample"), ("HU-S5-minimax", "bound"),
        ("HU-S7-witness.first-form", "counterexample"),
        ("HU-T9", "counterexample"), ("FL-Crho", "counterexample"), ("FL-LA.2", "counterexample"),
        ("FL-LD.1", "counterexample"), ("FL-PSI-forms", "counterexample"),
        ("US-L4.3", "counterexample"),
        ("US-L4.4", "counterexample"), ("US-L4.4.spectrum", "counterexample"),
        ("US-L6.2.with-omitted-hypothesis", "counterexample"), ("US-S7.1", "counterexample"),
        ("KL-ABS.corollaries", "counterexample"),
        ("KL-C2", "counterexample"), ("KL-C3", "counterexample"),
        ("KL-C3.approximate-part", "counterexample"), ("KL-D30", "counterexample"),
        ("KL-D33", "counterexample"), ("KL-L1-events", "counterexample"),
        ("KL-S4.2", "counterexample"), ("KL-S4.2", "measured"), ("KL-S4.2", "bound"),
        ("KL-S4.3-ball", "counterexample"),
        ("KL-S4.4-baselines", "counterexample"), ("KL-S4.4-baselines", "measured"),
        ("KL-S4.4-baselines", "bound"),
    },
    "rounded outwards": {("KL-R1", "measured")},
}  # fmt: skip
OTHER_PLOTS = {  # the certificate's instance is not in the plot
    "it shows the growth at smaller sizes": {
        "FL-A5.2c", "FL-E2-M", "FL-E3", "FL-PSI-forms", "FL-T5.6", "US-A2.3",
    },
    "it shows the excess over 1": {"US-L4.4.spectrum"},
}  # fmt: skip
POINTS = Path(__file__).with_name("points.csv")  # of the run that the published ledger is of
EXCUSED = set().union(*OTHER_NUMBERS.values())


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


def known_numbers(stem: str) -> list[Fraction]:
    """The numbers of the certificate, sums of two of its counts, and the numbers of the plot."""
    content = certificate(stem)
    data = [content.get(part, []) for part in ("data", "neighbour")]
    counts = [Fraction(record[-1]) for records in data for record in records]
    sums = [a + b for a, b in combinations_with_replacement(counts, 2)]
    parts = [content[part] for part in ("given", "enclosures")] + data + [content.get("event", [])]
    drawn = [point[name] for point in points(stem) for name in DRAWN]
    left, right = sides(stem)
    return [*rationals(parts), *sums, *rationals(drawn), *([left / right] if right else [])]


def unknown_numbers(stem: str, text: str) -> list[float]:
    """Numbers of a text that are neither in the certificate nor in the plot, without integers below
    10, which are exponents, arms and indices."""
    values = known_numbers(stem)
    printed = [each for each in numbers(text) if each[1] != Fraction(1, 2) or abs(each[0]) >= 10]
    return [float(each[0]) for each in printed if not any(same(each, value) for value in values)]


def test_numbers_of_a_text():
    text = r"$\frac25$, $-\frac1{20}$, 2.5e-3, $10^{-13}$, $2.8\cdot10^{19}$, 3/40, x_2, a^3, 1.50"
    assert [float(x) for x, _ in numbers(text)] == [
        0.4, -0.05, 0.0025, 1e-13, 2.8e19, 0.075, 1.5,
    ]  # fmt: skip
    assert [float(unit) for _, unit in numbers("1.50, 2e+06, 17")] == [0.005, 5e5, 0.5]


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
def test_numbers_of_the_row_are_in_its_certificate_or_its_plot(stem):
    for text in TEXTS:
        unknown = unknown_numbers(stem, refuted()[stem][text])
        assert bool(unknown) == ((stem, text) in EXCUSED), (text, unknown)


def parameters(stem: str) -> list[tuple[str, bool]]:
    """(name, whether it agrees) of the parameters in the counterexample's text that have the name
    of a parameter of the certificate."""
    given, result = certificate(stem)["given"], []
    for part in re.split(r"[,;:$()] ?", refuted()[stem]["counterexample"]):
        pair = PAIR.fullmatch(part.strip())
        name = pair and NAMES.get(pair["name"], pair["name"].lstrip("\\"))
        if isinstance(given.get(name), str) and NUMBER.fullmatch(pair["value"]):
            (number,) = numbers(pair["value"])
            result.append((name, same(number, Fraction(given[name]))))
    return result


@pytest.mark.parametrize("stem", sorted(refuted()))
def test_parameters_of_the_row_are_those_of_the_certificate(stem):
    """At one place at least, as some rows have other instances, too."""
    pairs = parameters(stem)
    assert {name for name, _ in pairs} == {name for name, agrees in pairs if agrees}


def test_parameters_are_found_in_many_rows():
    assert sum(bool(parameters(stem)) for stem in refuted()) > 40


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


def test_changed_digit_is_noticed():
    stem = "KL-C1"
    row = refuted()[stem]
    assert not unknown_numbers(stem, row["bound"])
    assert unknown_numbers(stem, row["bound"].replace("0.01688", "0.01689"))
    assert unknown_numbers(stem, row["counterexample"].replace("6/5", "7/5"))


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
