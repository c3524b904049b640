"""Rounding of certificates: outward, never further than needed, and safe where nothing is known."""

import math

from flint import arb

from dpbandits.audit import intervals


def test_floats_are_outward_and_next():
    with intervals.precision(intervals.START_BITS):
        third = arb(1) / 3
        assert arb(intervals.lower(third)) < third < arb(intervals.upper(third))
        assert intervals.upper(third) - intervals.lower(third) < 1e-15
    assert intervals.upper(arb(2)) == intervals.lower(arb(2)) == 2.0


def test_nothing_known_is_no_certificate():
    nothing = arb.nan()
    assert intervals.upper(nothing) == math.inf
    assert intervals.lower(nothing) == -math.inf
    assert intervals.as_delta(nothing) == 1.0


def test_sharp_stops_where_the_input_is_blurred():
    blurred = arb(1, 1e-3)
    assert intervals.width(intervals.sharp(lambda: blurred + 1)) > 1e-4
    assert intervals.width(intervals.sharp(lambda: arb(2).sqrt(), 1e-60)) <= 1e-60


def test_comparisons():
    assert intervals.compare(arb(2), arb(1)) is True
    assert intervals.compare(arb(1), arb(2)) is False
    assert intervals.compare(arb(1, 1), arb(1)) is None


def test_precision_is_given_back():
    before = intervals.width(arb(2).sqrt())
    with intervals.precision(1024):
        fine = arb(2).sqrt()
    assert intervals.width(fine) < 1e-200
    assert intervals.width(arb(2).sqrt()) == before
