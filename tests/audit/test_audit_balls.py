"""Ball arithmetic: rounding is outward, precision rises while it helps, losses of finite laws."""

import math
from fractions import Fraction

import pytest
from flint import arb
from plain import drawn

from dpbandits.audit import balls


def test_unknown_value_has_infinite_bounds():
    nothing = arb.nan()
    assert balls.upper(nothing) == math.inf
    assert balls.lower(nothing) == -math.inf
    assert balls.as_delta(nothing) == 1.0


def test_precision_is_given_back():
    before = balls.width(arb(2).sqrt())
    with balls.precision(1024):
        fine = arb(2).sqrt()
    assert balls.width(fine) < 1e-200
    assert balls.width(arb(2).sqrt()) == before


@pytest.mark.parametrize("case", range(20))
def test_upper_and_lower_are_the_nearest_floats_outside(case):
    g = drawn(1, case)
    exact = Fraction(int(g.integers(1, 10**9)), int(g.integers(1, 10**9))) * (-1) ** case
    with balls.precision(200):
        x = balls.ball(exact)
    high, low = balls.upper(x), balls.lower(x)
    assert Fraction(low) <= exact <= Fraction(high)
    assert Fraction(math.nextafter(high, -math.inf)) < exact < Fraction(math.nextafter(low, 9e9))


def test_deltas_are_cut_to_their_range():
    for x, expected in ((arb(-1), 0.0), (arb(0), 0.0), (arb(3), 1.0), (arb("0.25"), 0.25)):
        assert balls.as_delta(x) == pytest.approx(expected, abs=1e-15)
    tiny = arb(2) ** -2000
    assert 0 < balls.as_delta(tiny) < 1e-300  # above 0 stays above 0
    assert balls.as_delta(arb(0, 1e-9)) == pytest.approx(1e-9)
    assert balls.as_delta(arb(-1, 0.5)) == 0.0


def test_certificates_start_from_exact_numbers():
    with pytest.raises(TypeError, match="integers and fractions"):
        balls.ball(0.1)
    with balls.precision(100):
        assert balls.ball(Fraction(1, 4)) == arb("0.25")
        p = balls.policy([1, None, 0], 2)
    total = math.exp(0.5) + 1
    assert [float(x) for x in p] == pytest.approx([math.exp(0.5) / total, 0, 1 / total])
    assert balls.shown(arb(2) / 3, 3) == "0.667"

    @balls.at_certificate_precision
    def bits():
        return balls.ctx.prec

    assert bits() == balls.CERTIFICATE_BITS != balls.ctx.prec


@pytest.mark.parametrize("case", range(10))
def test_losses_of_pairs_by_exact_fractions(case):
    """Pure loss and delta of two random laws."""
    g = drawn(2, case)
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


def test_an_impossible_outcome():
    p, q = [Fraction(1, 2), Fraction(1, 2), 0], [Fraction(1, 2), 0, Fraction(1, 2)]
    assert not balls.max_divergence(p, q).is_finite()
    assert float(balls.delta_at(p, q, 3)) == 0.5
    assert float(balls.max_divergence([1, 0], [Fraction(1, 2), Fraction(1, 2)])) == pytest.approx(
        math.log(2)
    )


def test_a_float_bounds_itself():
    for x in (0.0, 1.0, -0.5, 2.0**-60):
        assert balls.lower(arb(x)) == balls.upper(arb(x)) == x


@pytest.mark.parametrize(
    ("radii", "start", "asked"),
    [
        ([50], 64, [64]),  # as narrow as was asked for
        ([40, 41, 42, 42], 64, [64, 128, 256, 512]),  # half as wide is progress, equally wide not
        ([1, 2, 3, 4], balls.MOST_BITS // 2, [balls.MOST_BITS // 2, balls.MOST_BITS]),
        ([1, 2, 3], balls.MOST_BITS, [balls.MOST_BITS]),
    ],
)
def test_when_sharp_stops(radii, start, asked):
    """Balls around 1 of radius 2^-n for each n in turn, asked to be within 2^-50."""
    bits, left = [], list(radii)

    def compute():
        bits.append(balls.ctx.prec)
        return arb(1, (1, -left.pop(0)))

    balls.sharp(compute, 2.0**-50, start)
    assert bits == asked
