"""The likelihood of NA-IMED against sums over all counts in ball arithmetic, at 400 bits."""

import math

import numpy as np
import pytest
from flint import arb, ctx

from dpbandits.core.port import SimulatedNoise
from dpbandits.stochastic.na_imed import NaImed
from dpbandits.stochastic.noisy_sums import (
    log_below,
    log_density,
    log_posterior,
    most_likely,
    slope,
)
from dpbandits.stochastic.rounds import decisions


def exact(R, b, mu, eps):
    """(ln E e^(-eps |R - S|), mu (1 - mu) times its derivative in mu)."""
    before, ctx.prec = ctx.prec, 400
    try:
        mu, total, moment = arb(mu), arb(0), arb(0)
        for s in range(b + 1):
            weight = math.comb(b, s) * mu**s * (1 - mu) ** (b - s)
            weight *= (-arb(eps) * abs(arb(R) - s)).exp()
            total += weight
            moment += weight * (s - b * mu)
        return float(total.log()), float(moment / total)
    finally:
        ctx.prec = before


def cases(count):
    rng = np.random.default_rng(60)
    for _ in range(count):
        b, eps = (
            int(rng.choice([1, 2, 3, 8, 30, 100, 300])),
            float(rng.choice([0.01, 0.3, 1, 5, 50])),
        )
        mu = float(rng.choice([rng.random(), rng.random() ** 6, 1 - rng.random() ** 6]))
        mu = min(max(mu, 1e-9), 1 - 1e-9)
        near = b * mu + rng.laplace() * (1 / eps + math.sqrt(b) / 2)
        yield float(rng.choice([near, rng.integers(-1, b + 2)])), b, mu, eps


def test_the_density_and_its_derivative_are_exact():
    """Relative 1e-11. Sums outside of 0..b have a constant factor e^(-eps |R - nearest|) less."""
    for R, b, mu, eps in cases(250):
        density, moment = exact(R, b, mu, eps)
        if math.floor(R) < 0 or math.floor(R) > b:
            density += eps * (abs(R) if R < 0 else R)
        assert log_density(R, b, mu, eps) == pytest.approx(density, rel=1e-11, abs=1e-11)
        assert slope(R, b, mu, eps) == pytest.approx(moment, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_large_tails_are_those_of_scipy(n):
    """Up to the rounding of ln n!, which is some 1e-14 n, where scipy's tails do not underflow."""
    from scipy.stats import binom

    for p in (0.01, 0.5, 0.9):
        for z in (-8, -1, 0, 0.5, 6):
            k = round(n * p + z * math.sqrt(n * p * (1 - p)))
            ours = log_below(k, n, p / (1 - p))
            theirs = binom.logcdf(k - 1, n, p) - binom.logpmf(k, n, p)
            assert ours == pytest.approx(theirs, abs=1e-10 + 1e-14 * n)


def test_the_most_likely_mean_is_where_the_likelihood_is_largest():
    rng = np.random.default_rng(3)
    for eps in (0.05, 1.0, 20.0):
        for _ in range(20):
            sizes = rng.integers(1, 60, 4).tolist()
            sums = [float(rng.binomial(b, 0.3) + rng.laplace() / eps) for b in sizes]
            top = most_likely(sums, sizes, rng.random(), eps)
            highest = log_posterior(sums, sizes, top, eps)
            grid = np.linspace(1e-4, 1 - 1e-4, 60)
            assert highest >= max(log_posterior(sums, sizes, mu, eps) for mu in grid) - 1e-12


@pytest.mark.parametrize("law", ["beta", "two values"])
def test_rewards_that_are_not_0_or_1_cost_no_more(law):
    """Mean regret of 15 runs of 1,000 rounds within 4 standard errors of that with rewards 0 and 1,
    or below it (flake rate 1e-4 where they are equal; they have half the variance)."""
    means = np.array([0.75, 0.625, 0.5, 0.375, 0.25])
    draw = {
        "0 and 1": lambda rng, m: float(rng.random() < m),
        "beta": lambda rng, m: rng.beta(4 * m, 4 * (1 - m)),
        "two values": lambda rng, m: m + rng.choice([-0.2, 0.2]),
    }

    def regret(law):
        runs = []
        for run in range(15):
            rng = np.random.default_rng([15, run])
            arms, learner = rng.permutation(means), NaImed(5, 1.0, SimulatedNoise(rng), rng, 1000)
            played = decisions(learner, lambda J, arms=arms, rng=rng: draw[law](rng, arms[J]), 1000)
            runs.append((means.max() - arms[played]).sum())
        return np.mean(runs), np.std(runs) / math.sqrt(15)

    (mean, error), (other, spread) = regret(law), regret("0 and 1")
    assert mean < other + 4 * math.hypot(error, spread)
    assert mean < 0.3 * 1000 * (means.max() - means.mean())
