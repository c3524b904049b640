"""Enclosures in certificates."""

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbandits.audit.computed.balls import precision
from dpbandits.reproduction.ledger import certificates as made


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
