"""Noise ports: exact noise has the laws that its proofs need, and a rounding that is paid for.

OpenDP takes no seed. The tests against a law fail by chance for one run in a million each.
"""

import math
from collections import Counter

import numpy as np
import pytest
from plain import winner
from scipy.stats import chisquare

from dpbandits.core.port import FINENESS, MARGIN, REWARD_GRID, ExactNoise, SimulatedNoise

DRAWS, LEAST_P = 6000, 1e-6
SCORES = np.array([0.0, 1.0, -np.inf, 3.0])
ALLOWED = [0, 1, 3]


def fits(counts, law):
    """Cells with fewer than 5 expected draws are taken together."""
    counts, expected = np.array(counts, float), DRAWS * np.array(law)
    small = expected < 5
    if small.any():
        counts, expected = (np.append(x[~small], x[small].sum()) for x in (counts, expected))
    keep = expected > 0
    assert counts[~keep].sum() == 0
    return chisquare(counts[keep], expected[keep] * counts.sum() / expected.sum()).pvalue > LEAST_P


@pytest.mark.parametrize("law", ["exponential", "gumbel"])
def test_exact_selection_has_its_law(law):
    """Permute-and-flip and the exponential mechanism at scale 2; -inf is never chosen."""
    port = ExactNoise(REWARD_GRID)
    drawn = Counter(port.argmax(SCORES, 2.0, law) for _ in range(DRAWS))
    assert fits([drawn[j] for j in ALLOWED], winner(SCORES[ALLOWED], 2, law))
    assert drawn[2] == 0


def test_the_largest_few_are_exponential_mechanisms_without_replacement():
    port, weight = ExactNoise(), np.exp(SCORES[ALLOWED] / 2)
    drawn = Counter(tuple(port.argmax(SCORES, 2.0, "gumbel", count=2)) for _ in range(DRAWS))
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    law = [weight[i] / weight.sum() * weight[j] / (weight.sum() - weight[i]) for i, j in pairs]
    assert fits([drawn[ALLOWED[i], ALLOWED[j]] for i, j in pairs], law)


@pytest.mark.parametrize("p", [0.1, 0.75])
def test_a_coin_has_its_law(p):
    for port in (ExactNoise(), SimulatedNoise(np.random.default_rng(5))):
        drawn = port.bernoulli(np.full(DRAWS, p))
        assert drawn.dtype == bool
        assert fits([np.sum(~drawn), np.sum(drawn)], [1 - p, p])
        assert [port.bernoulli(x) for x in (0.0, 1.0)] == [False, True]


@pytest.mark.parametrize(("method", "power"), [("laplace", 1), ("gaussian", 2)])
def test_exact_noise_is_discrete_with_its_law(method, power):
    """Noise on a grid of 1: P(k) proportional to exp(-|k|/b), or exp(-k^2/(2 b^2))."""
    port, b, value = ExactNoise(1.0), 1.7, 5.0
    drawn = getattr(port, method)(np.full(DRAWS, value), b) - value
    k = np.arange(-30, 31)
    law = np.exp(-((np.abs(k) / b) ** power) / power)
    assert (drawn == np.rint(drawn)).all()
    assert fits([np.sum(drawn == i) for i in k], law / law.sum())


def test_ties_of_discrete_laplace_go_to_the_first():
    """With noise far below the grid two equal scores tie, and a lower one never wins."""
    port = ExactNoise(1.0)
    assert {port.argmax([0.0, 2.0, 2.0], 1e-3) for _ in range(50)} == {1}


def recorded(monkeypatch):
    """What reaches the sampler: (integers, scale); the noise is left out."""
    seen = []

    def sampler(scale):
        return lambda steps: seen.append((steps, scale)) or steps

    monkeypatch.setattr("dpbandits.core.port._laplace", sampler)
    return seen


def test_rounding_is_paid_for_by_more_noise(monkeypatch):
    """Attack: neighbours as far apart as allowed, with the floating-point error that the margin
    allows, in the direction that rounding makes worst; the loss stays below sensitivity/scale."""
    seen, rng, port = recorded(monkeypatch), np.random.default_rng(1), ExactNoise()
    worst = 0.0
    for _ in range(2000):
        sensitivity, b = 10.0 ** rng.uniform(-6, 3, size=2)
        step = 2.0 ** math.floor(math.log2(sensitivity * FINENESS))
        seen.clear()
        value = rng.normal() * 100 * sensitivity
        # just below the middle of two steps, and the other one as far on the other side
        low = (np.floor(value / step) + 0.5) * step - 1e-3 * step
        for x in (low, low + sensitivity + 0.999 * step):
            port.laplace(x, b, sensitivity=sensitivity)
        (one, scale), (two, _) = seen
        worst = max(worst, abs(two[0] - one[0]) / scale / (sensitivity / b))
    assert 1 - 2 * MARGIN < worst <= 1


def test_large_values_are_clipped_and_show_nothing_by_a_refusal(monkeypatch):
    """2^48 steps of a grid that is chosen here; sums of 2^33 rewards are exact."""
    seen, port = recorded(monkeypatch), ExactNoise()
    for x in (2.0**36 - 1, 2.0**36 + 1, -(2.0**60)):  # in units of the sensitivity
        port.laplace(x, 1.0)
    assert [steps[0] for steps, _ in seen] == [2**48 - 2**12, 2**48, -(2**48)]
    ExactNoise(REWARD_GRID).laplace(2.0**33, 1.0)
    assert seen[-1][0] == [2**53]


def test_values_on_a_grid_are_not_rounded_and_others_refused(monkeypatch):
    seen, port = recorded(monkeypatch), ExactNoise(REWARD_GRID)
    assert port.laplace(3 * REWARD_GRID, 0.5) == 3 * REWARD_GRID
    assert seen[0][0] == [3]
    assert seen[0][1] == pytest.approx(0.5 / REWARD_GRID, rel=1e-15)
    assert seen[0][1] >= 0.5 / REWARD_GRID  # rounded up, never down
    with pytest.raises(ValueError, match="not a multiple"):
        port.laplace(REWARD_GRID / 3, 0.5)
    assert port.laplace(0.1, 0.0) == 0.1  # no noise: epsilon = inf


def test_simulated_noise_is_that_of_the_generator():
    port, rng = SimulatedNoise(np.random.default_rng(3)), np.random.default_rng(3)
    assert port.laplace(1.0, 2.0) == 1.0 + rng.laplace(scale=2.0)
    np.testing.assert_array_equal(port.gaussian(np.ones(2), 2.0), 1 + rng.normal(scale=2.0, size=2))
    assert port.argmax(np.ones(4), 2.0, "gumbel") == np.argmax(rng.gumbel(scale=2.0, size=4))
