"""Bounds, readings and exact checks against independent derivations."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.claims.lemmas import lemma_24_share, win_probability


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("horizon", [1e5, 1e8, 1e11])
def test_worst_cases_cover_every_instance_and_keep_their_rate(epsilon, horizon):
    """Instances whose gaps are at least Delta*; smaller ones cost T Delta* at most."""
    rng = np.random.default_rng(0)
    for arms in (2, 5, 20):
        ucb = theory.lazy_ucb_worst_case(arms, epsilon, horizon)
        ts = theory.lazy_ts_worst_case(arms, epsilon, horizon)
        critical = math.sqrt(arms * math.log(horizon) / horizon)
        rate = horizon * critical + arms * math.log(horizon) / epsilon
        assert ucb <= min(horizon, 200 * rate)
        assert ts <= min(horizon, 800 * rate)  # 577, and Theorem T over ln T
        for _ in range(20):
            gaps = np.exp(rng.uniform(math.log(critical), 0, arms - 1))
            bound = theory.lazy_ucb_bound([1, *(1 - gaps)], epsilon, horizon)
            assert min(horizon, bound) <= ucb * (1 + 1e-12)


def overestimation_in_full(best, level, n):
    """The whole sum, in logarithms: no term is left out, none overflows."""
    s = np.arange(n + 1)
    law = binom.logpmf(np.arange(n + 2), n + 1, level)
    below = np.logaddexp.accumulate(law)[:-1]
    above = np.logaddexp.accumulate(law[::-1])[::-1][1:]
    return float(np.exp(binom.logpmf(s, n, best) + above - below).sum())


def test_overestimation_is_the_whole_sum():
    """The terms that count are up to hundreds of standard deviations below the mean (gap 0.003)."""
    for gap in (0.003, 0.01, 0.05, 0.5):
        for r in (0, 3, 6, 9, 11, 13):
            full = overestimation_in_full(0.5, 0.5 - gap / 6, 2**r)
            assert theory.overestimation(0.5, 0.5 - gap / 6, 2**r) == pytest.approx(full, rel=1e-6)
    level = 1 - 0.1 / 6
    assert theory.overestimation(1, level, 64) == pytest.approx(level**65 / (1 - level**65))


def test_optimism_is_bounded_and_its_bound_falls_with_the_gap():
    for best, gap in ((0.25, 0.01), (0.5, 0.01), (0.5, 0.3), (0.75, 0.05)):
        pulls, bound = theory.optimism_pulls(best, gap, 1e9), theory.optimism_bound(gap, 1e9)
        assert pulls <= bound <= 688 * (math.log2(1e9) + 1) / gap**2
    assert 0.01**2 * theory.optimism_pulls(0.5, 0.01, 1e9) > 170  # it grows as the gap falls
    gaps = np.geomspace(1e-4, 1, 30)
    costs = [gap * theory.optimism_bound(gap, 1e12) for gap in gaps]
    assert (np.diff(costs) <= 0).all()


def test_side_of_lemma_6_in_closed_form():
    """Two uniform draws (Beta(1, 1)), y = 1/2. Arm 1 wins below y: P(both below, 1 largest) = 1/8.
    Arm 0 wins and draw 1 is at most y: 1/2 - 1/8 = 3/8."""
    a = b = np.ones(2)
    assert win_probability(a, b, 0.5, winner=1, reach=0.5) == pytest.approx(1 / 8)
    assert win_probability(a, b, 0.5, winner=0, reach=1.0) == pytest.approx(3 / 8)


def test_lemma_24_against_sampling():
    rng = np.random.default_rng(0)
    r, best, gap, epsilon, runs = 4, 0.6, 0.3, 0.5, 400_000
    n = 2**r
    noise = rng.laplace(0, 1 / epsilon, (2, runs))
    wins = rng.binomial(n, best - gap, runs) + noise[0] >= rng.binomial(n, best, runs) + noise[1]
    p = lemma_24_share(r, best, gap, epsilon) * theory.noise_tail_bound(r, gap, epsilon)
    assert abs(wins.mean() - p) < 5 * math.sqrt(p / runs)  # flake rate below 1e-6 if reseeded
