"""Ball arithmetic: rounding is outward, and losses of finite distributions."""

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


def test_policy_by_hand():
    total = math.exp(0.5) + 1
    p = balls.policy([1, None, 0], 2)
    assert [float(x) for x in p] == pytest.approx([math.exp(0.5) / total, 0, 1 / total])


@pytest.mark.parametrize("case", range(10))
def test_pure_loss_and_delta_by_exact_fractions(case):
    g = seeded(2, case)
    p, q = ([Fraction(int(x)) for x in g.integers(1, 9, size=4)] for _ in range(2))
    p, q = ([x / sum(weights) for x in weights] for weights in (p, q))
    ratio = max(max(a / b, b / a) for a, b in zip(p, q, strict=True))
    excess = max(
        sum(max(0, a - Fraction(5, 4) * b) for a, b in zip(*pair, strict=True))
        for pair in ((p, q), (q, p))
    )
    loss, delta = balls.pure_loss(p, q), balls.delta_at(p, q, math.log(1.25))
    assert balls.upper(loss) == pytest.approx(math.log(ratio), rel=1e-12)
    assert balls.upper(delta) == pytest.approx(float(excess), rel=1e-12)


def test_impossible_outcomes():
    half = Fraction(1, 2)
    p, q = [half, half, 0], [half, 0, half]
    assert not balls.max_divergence(p, q).is_finite()
    assert float(balls.delta_at(p, q, 3)) == 0.5
    assert float(balls.max_divergence([1, 0], [half, half])) == pytest.approx(math.log(2))
