"""Parts of HU's engines: Beta tails, divergences, bounds and rules, against scipy or by hand."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import rel_entr

from dpbandits.core.streams import Streams
from dpbandits.stochastic.divergences import d_eps, d_eps_bound, exceeds, kl_bound, leader
from dpbandits.stochastic.engine.beta_tails import (
    beta,
    beta_between,
    candidate_above,
    dominates_smaller_means,
    log_density,
    new_curves,
    set_curve,
)
from dpbandits.stochastic.engine.ucb1 import is_safe

# Beta tails -----------------------------------------------------------------------------------

SHAPES = [(0.0, 0.0), (0.0, 7.0), (7.0, 0.0), (0.3, 2.5), (40.0, 12.5), (3e5, 1e5)]


def stream(seed=3):
    return Streams(17, (seed,)).states()[0]


@pytest.mark.parametrize(("k", "n"), SHAPES)
def test_log_density(k, n):
    law = stats.beta(k + 1, n + 1)
    x = law.ppf([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6])
    density = [log_density(v, k, n) for v in x]
    np.testing.assert_allclose(density, law.logpdf(x), atol=2e-9, rtol=1e-9)


@pytest.mark.parametrize(("k", "n"), SHAPES)
def test_beta_sampler(k, n):
    """Kolmogorov-Smirnov at 1e-4 with a fixed seed (6 shapes: flake rate 6e-4 if reseeded)."""
    state = stream()
    x = [beta(state, k, n) for _ in range(20_000)]
    assert stats.kstest(x, stats.beta(k + 1, n + 1).cdf).pvalue > 1e-4


@pytest.mark.parametrize(("low", "high"), [(-1.0, 0.3), (0.3, 1.0)])
def test_conditional_betas(low, high):
    """Beta(3, 6) on one side of 0.3: Kolmogorov-Smirnov at 1e-4, fixed seed."""
    law, state = stats.beta(3, 6), stream(5)
    x = np.array([beta_between(state, 2.0, 5.0, low, high) for _ in range(3000)])
    assert ((low < x) & (x <= high)).all()
    share = (law.cdf(x) - law.cdf(low)) / (law.cdf(high) - law.cdf(low))
    assert stats.kstest(share, "uniform").pvalue > 1e-4


@pytest.mark.parametrize(("k", "n", "top", "y"), [
    (30.0, 70.0, 33.0, 0.45), (60.0, 1.0, 60.5, 0.998), (3.0, 3.0, 3.0, 0.75),
])  # fmt: skip
def test_rejection_of_tail_above_bound(k, n, top, y):
    """Accepted candidates have the conditional law; candidates x accepted share = the tail."""
    top_n = k + n - top
    assert dominates_smaller_means(top, top_n, y)
    curves = new_curves(1)
    mass = -math.expm1(-set_curve(curves, 0, top, top_n, y))
    state = stream()
    x = np.array([candidate_above(state, curves, 0, k, n, y) for _ in range(40_000)])
    accepted, law = x[x > 0], stats.beta(k + 1, n + 1)
    assert stats.kstest(accepted, lambda v: 1 - law.sf(v) / law.sf(y)).pvalue > 1e-4
    expected = law.sf(y) / mass
    assert expected <= 1
    error = math.sqrt(expected * (1 - expected) / len(x))
    assert abs(len(accepted) / len(x) - expected) < 4.5 * error + 1e-12


# Divergences and their bounds -----------------------------------------------------------------


def kl(p, q):
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def as_mean(logit):
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0


def logit(q):
    return math.log(q / (1 - q))


@pytest.mark.parametrize("p", [0.0, 1e-9, 0.2, 0.75, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("level", [1e-9, 1e-3, 0.3, 5.0, 40.0])
def test_kl_upper_bound(p, level):
    x = kl_bound(p, level)
    if p == 1:
        assert x == math.inf
        return
    if 0.1 < p < 0.9:  # else the two levels differ by less than rounding
        assert not exceeds(p, level * (1 - 1e-6), x)
        assert exceeds(p, level * (1 + 1e-6), x)
        if level < 5:
            assert kl(p, as_mean(x)) == pytest.approx(level, rel=1e-5, abs=1e-14)


def test_kl_bounds_by_hand():
    """p = 0: -ln(1 - q) = level; p = 1/2: kl = -ln(4 q (1 - q))/2."""
    level = -math.log(4 * 0.9 * 0.1) / 2
    assert kl_bound(0.0, math.log(4)) == pytest.approx(logit(0.75))
    assert kl_bound(0.0, 800.0) == 800.0
    assert kl_bound(0.5, 0.0) == pytest.approx(0, abs=1e-12)
    assert kl_bound(0.5, level) == pytest.approx(logit(0.9))
    assert kl_bound(1.0, 0.1) == math.inf
    assert exceeds(1.0, 0.1, 5.0)
    assert not exceeds(1.0, 0.1, math.inf)
    assert not exceeds(0.5, 9.0, math.inf)
    assert exceeds(0.6, 1e-9, 0.0)  # its centre is above
    assert leader(np.array([1.0, 1.0, 1.0]), np.array([3.0, 5.0, 1.0])) == 0  # the first of equals
    assert leader(np.array([0.0, 0.0, 0.0]), np.array([0.1, 0.1, 0.1])) == 0
    assert leader(np.array([0.2, 0.9, 0.9]), np.array([0.1, 0.1, 0.1])) == 1


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_private_divergence_and_its_bound(epsilon):
    """Against the infimum over a fine grid."""
    for x in (0.0, 0.1, 0.5, 0.93):
        for y in (0.1, 0.4, 0.7, 0.99, 1.0):
            if y >= x:
                z = np.linspace(x, y, 20_001)
                least = (epsilon * (z - x) + rel_entr(z, y) + rel_entr(1 - z, 1 - y)).min()
                assert d_eps(x, y, epsilon) == pytest.approx(least, abs=1e-7)
        for level in (1e-4, 0.01, 0.2, 2.0):
            y = as_mean(d_eps_bound(x, epsilon, level))
            assert d_eps(x, y, epsilon) <= level * (1 + 1e-9)
            if y < 1:
                assert d_eps(x, y, epsilon) == pytest.approx(level, rel=1e-6)


# Rules of the algorithms ----------------------------------------------------------------------


@pytest.mark.parametrize("kl", [False, True])
def test_is_safe_against_the_worst_case(kl):
    """All its rewards 0 against the others' indices in the last round: 150 random states."""
    rng, safe = np.random.default_rng(3), 0

    def index(total, pulls, t):
        level, mean = math.log(t) / pulls, total / pulls
        return kl_bound(mean, level) if kl else mean + math.sqrt(2 * level)

    for _ in range(150):
        pulls = rng.integers(1, 400, 3)
        total = rng.binomial(pulls, rng.uniform(0, 1, 3))
        first = int(pulls.sum()) + 1
        arm = int(np.argmax([index(s, n, first) for s, n in zip(total, pulls, strict=True)]))
        last = first + int(rng.integers(1, 200))
        worst = index(total[arm], pulls[arm] + last - first, first)
        others = [index(total[j], pulls[j], last) for j in range(3) if j != arm]
        expected = max(others) < worst
        assert is_safe(kl, total, pulls, arm, first, last) == expected
        safe += expected
    assert 20 < safe < 130
