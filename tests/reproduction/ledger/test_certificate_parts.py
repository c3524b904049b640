"""The parts of certificates: exact numbers as text, enclosures, both sides of inequalities."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbandits.audit.balls import precision
from dpbandits.reproduction.ledger import certificates as made


def test_exact_numbers_as_text_in_lowest_terms():
    given_ = {"a": 3, "b": [Fraction(2, 4), (1, "0.25")], "c": {"d": -2}}
    assert made.text(given_) == {"a": "3", "b": ["1/2", ["1", "1/4"]], "c": {"d": "-2"}}
    for inexact in (0.5, [0.5], {"a": (1, 0.5)}):
        with pytest.raises(TypeError, match="exact numbers only"):
            made.text(inexact)


def test_enclosures_are_rounded_outwards():
    with precision(200):
        third = arb(1) / 3
    assert made.enclosure(third) == ["0.333333333333333", "0.333333333333334"]
    assert made.enclosure(-third) == ["-0.333333333333334", "-0.333333333333333"]
    assert made.enclosure(arb("0.25")) == ["0.25", "0.25"]
    assert made.enclosure(arb(0)) == ["0", "0"]
    low, high = map(float, made.enclosure(arb(1, 0.25)))
    assert (low, high) == (pytest.approx(0.75), pytest.approx(1.25))
    assert made.enclosure(arb(3) / 2**90)[0].endswith("E-27")
    assert made.enclosure(arb(7) * 2**70) == ["8.26414134502187E+21", "8.26414134502188E+21"]


@settings(max_examples=30, derandomize=True, deadline=None)
@given(st.fractions(max_denominator=10**6))
def test_enclosure_contains_its_number(x):
    with precision(100):
        low, high = map(Fraction, made.enclosure(arb(x.numerator) / x.denominator))
    assert low <= x <= high
    assert high - low <= abs(x) / 10**13


def sides(p, q, epsilon, delta):
    with precision(100):
        return {k: float(low) for k, (low, _) in made.promise(p, q, epsilon, delta).items()}


def test_both_sides_of_a_promise():
    """P = 1/2, Q = 1/8: ln 4 against eps where delta = 0, else P - 2 Q against delta."""
    two = arb(2).log()
    pure = sides(arb("0.5"), arb("0.125"), 1, 0)
    assert pure["left"] == pytest.approx(math.log(4), rel=1e-12)
    assert (pure["right"], pure["epsilon"], pure["delta"]) == (1.0, 1.0, 0.0)
    assert (pure["P"], pure["Q"]) == (0.5, 0.125)
    approximate = sides(arb("0.5"), arb("0.125"), two, arb("0.0625"))
    assert approximate["left"] == pytest.approx(0.25, rel=1e-12)
    assert approximate["right"] == 0.0625
    never = sides(arb("0.5"), 0, 1, 0)  # what is impossible on one side has no ratio
    assert (never["left"], never["right"]) == (0.5, 0.0)
    assert sides(arb("0.5"), 0, 1, arb("0.25"))["right"] == 0.25


PYTHON = """
x = a / 2 + 1 / 4
y = sum(b) * comb(4, 2) ** 1 / 2
left = sqrt(x) * exp(1) + log(2) + 3 / 7
right = y * pi
"""


def test_both_sides_of_an_inequality():
    """a = 1/2, b = (1, 1/3): x = 1/2 and y = 4/3 * 6/2 = 4."""
    given_ = {"a": Fraction(1, 2), "b": [1, (Fraction(1, 6), "1/6")]}
    python = PYTHON.replace("sum(b)", "(b[0] + sum(b[1]))")
    with precision(100):
        found = made.both_sides(given_, python)
        said = made.inequality("T", "it fails", "step 2", given_, python)
    left = math.e * math.sqrt(0.5) + math.log(2) + 3 / 7
    assert float(found["left"]) == pytest.approx(left, rel=1e-14)
    assert float(found["right"]) == pytest.approx(4 * math.pi, rel=1e-14)
    assert float(found["left"].rad()) < 1e-25  # ratios of whole numbers are exact
    assert said["enclosures"] == {name: made.enclosure(x) for name, x in found.items()}
    assert said["python"][0] == "x = a / 2 + 1 / 4"
    assert said["python"][-1] == "right = y * pi"
    words = {"theorem": "T", "fails": "it fails", "step": "step 2"}
    assert words.items() <= said.items()
    assert said["given"] == {"a": "1/2", "b": ["1", ["1/6", "1/6"]]}
