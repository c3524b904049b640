"""Losses of finite distributions, by exact fractions."""

import math
from fractions import Fraction

import pytest
from plain import seeded

from dpbandits.audit.computed.balls import upper
from dpbandits.reproduction.kl.finite_laws import delta_at, max_divergence, policy, pure_loss


def test_policy_by_hand():
    total = math.exp(0.5) + 1
    p = policy([1, None, 0], 2)
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
    loss, delta = pure_loss(p, q), delta_at(p, q, math.log(1.25))
    assert upper(loss) == pytest.approx(math.log(ratio), rel=1e-12)
    assert upper(delta) == pytest.approx(float(excess), rel=1e-12)


def test_impossible_outcomes():
    half = Fraction(1, 2)
    p, q = [half, half, 0], [half, 0, half]
    assert not max_divergence(p, q).is_finite()
    assert float(delta_at(p, q, 3)) == 0.5
    assert float(max_divergence([1, 0], [half, half])) == pytest.approx(math.log(2))
