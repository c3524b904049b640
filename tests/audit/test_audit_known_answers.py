"""Mechanisms whose privacy loss is known by another method."""

import itertools
import math

import numpy as np
import plain
import pytest
from flint import arb
from plain import assert_between

from dpbandits.audit.computed import balls, laplace
from dpbandits.audit.computed.balls import lower, precision, upper
from dpbandits.stochastic.mechanisms.rnm_loss import pure_loss


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9, 1.0, 2.0])
def test_laplace_once(epsilon):
    audited = laplace.audit_laplace(laplace.LaplaceParams(scale=2.0, sensitivity=2.0), [epsilon])
    assert audited.pure_epsilon == pytest.approx(1.0, abs=1e-12)
    expected = max(0.0, 1 - math.exp((epsilon - 1) / 2))
    assert audited.delta_at[epsilon] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("arms", [2, 3, 6])
def test_report_noisy_max_tends_to_epsilon_and_to_twice_epsilon(arms):
    """Noise Lap(1/eps), eps = 0.5: eps under add-remove, up to 2 eps under replacement."""
    one = [pure_loss(2.0, arms, n, "add-remove") for n in (1, 8, 64, 4096)]
    two = [pure_loss(2.0, arms, n, "replace") for n in (1, 8, 64, 4096)]
    for losses, limit in ((one, 0.5), (two, 1.0)):
        assert all(lower(b) >= upper(a) - 1e-12 for a, b in itertools.pairwise(losses))
        assert upper(losses[-1]) <= limit + 1e-12
        assert lower(losses[-1]) > limit - 1e-3
    assert two[1] > 0.5  # certified: the printed noise does not give eps


def test_the_deep_tail_of_two_hundred_releases():
    """Another accountant gives at most 1.6e-13 at eps = 5."""
    loss = laplace.audit_laplace(laplace.LaplaceParams(scale=20, releases=200), (5.0, 7.0))
    assert_between(loss.delta_at[5.0], plain.composed(1 / 20, 0, 200, 5.0), slack=0)
    assert_between(loss.delta_at[7.0], plain.composed(1 / 20, 0, 200, 7.0), slack=0)
    assert loss.delta_at[5.0] <= 1.6e-13
    assert loss.delta_at[7.0] < 1e-25


@pytest.mark.parametrize("releases", [1, 2, 5, 40, 200])
def test_deep_tails_are_certified_to_one_percent(releases):
    """Near the pure loss delta is tiny: lower and upper ends of its ball within 1%, above 1e-30."""
    with precision(4096):
        shift = arb(1) / 7
    for share in (0.2, 0.5, 0.8, 0.9, 0.99, 0.999):
        ball = laplace.composed_delta(shift, releases, share * releases / 7)
        assert upper(ball) <= 1.01 * lower(ball) or upper(ball) < 1e-30


@pytest.mark.parametrize("epsilon", [0, 0.5, 1.0, -0.5, -1.0, -2.0])
def test_two_releases_where_atoms_meet_epsilon(epsilon):
    """By the definition: P(L > e) - e^e Q(L > e), the losses of two releases on dyadic atoms."""
    shift, step = 1.0, 2.0**-11
    x = np.arange(0, 1 + step / 2, step)
    inside = np.exp(-(x[:-1] + x[1:]) / 2) * 2 * math.sinh(step / 2) / 2
    losses = np.r_[shift, shift - (x[:-1] + x[1:]), -shift]
    masses = np.r_[0.5, inside, math.exp(-1) / 2]
    total = losses[:, None] + losses[None, :]
    excess = np.outer(masses, masses) * -np.expm1(np.minimum(0, epsilon - total))
    delta = laplace.composed_delta(shift, 2, epsilon)
    assert float(delta) == pytest.approx(excess.sum(), abs=2e-6)
    assert balls.width(delta) < 1e-15
