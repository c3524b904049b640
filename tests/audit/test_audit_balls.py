"""Rounding of certificates: outward, never further than needed, and safe where nothing is known."""

import math

from flint import arb

from dpbandits.audit import balls


def test_floats_are_outward_and_next():
    with balls.precision(balls.START_BITS):
        third = arb(1) / 3
        assert arb(balls.lower(third)) < third < arb(balls.upper(third))
        assert balls.upper(third) - balls.lower(third) < 1e-15
    assert balls.upper(arb(2)) == balls.lower(arb(2)) == 2.0


def test_nothing_known_is_no_certificate():
    nothing = arb.nan()
    assert balls.upper(nothing) == math.inf
    assert balls.lower(nothing) == -math.inf
    assert balls.as_delta(nothing) == 1.0


def test_sharp_stops_where_the_input_is_blurred():
    blurred = arb(1, 1e-3)
    assert balls.width(balls.sharp(lambda: blurred + 1)) > 1e-4
    assert balls.width(balls.sharp(lambda: arb(2).sqrt(), 1e-60)) <= 1e-60


def test_comparisons():
    assert balls.compare(arb(2), arb(1)) is True
    assert balls.compare(arb(1), arb(2)) is False
    assert balls.compare(arb(1, 1), arb(1)) is None


def test_precision_is_given_back():
    before = balls.width(arb(2).sqrt())
    with balls.precision(1024):
        fine = arb(2).sqrt()
    assert balls.width(fine) < 1e-200
    assert balls.width(arb(2).sqrt()) == before
