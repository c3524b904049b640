"""Ball arithmetic: rounding is outward."""

import math
from fractions import Fraction

import pytest
from flint import arb
from plain import seeded

from dpbandits.audit.computed import balls


def test_bounds_of_nan_are_infinite():
    nan = arb.nan()
    assert balls.upper(nan) == math.inf
    assert balls.lower(nan) == -math.inf
    assert balls.as_delta(nan) == 1.0


@pytest.mark.parametrize("case", range(20))
def test_upper_and_lower_are_the_nearest_floats_outside(case):
    g = seeded(1, case)
    exact = Fraction(int(g.integers(1, 10**9)), int(g.integers(1, 10**9))) * (-1) ** case
    with balls.precision(200):
        x = balls.ball(exact)
    high, low = balls.upper(x), balls.lower(x)
    assert Fraction(low) <= exact <= Fraction(high)
    assert Fraction(math.nextafter(high, -math.inf)) < exact < Fraction(math.nextafter(low, 9e9))


def test_bounds_of_a_float_are_the_float():
    for x in (0.0, 1.0, -0.5, 2.0**-60):
        assert balls.lower(arb(x)) == balls.upper(arb(x)) == x


def test_as_delta_clips_to_the_unit_interval():
    for x, expected in ((arb(-1), 0.0), (arb(0), 0.0), (arb(3), 1.0), (arb("0.25"), 0.25)):
        assert balls.as_delta(x) == pytest.approx(expected, abs=1e-15)
    assert 0 < balls.as_delta(arb(2) ** -2000) < 1e-300  # above 0 stays above 0
    assert balls.as_delta(arb(0, 1e-9)) == pytest.approx(1e-9)
    assert balls.as_delta(arb(-1, 0.5)) == 0.0
