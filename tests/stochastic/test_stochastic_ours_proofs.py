"""Attacks on docs/proofs/OURS.md: each step that can be evaluated, at random instances.

The density is summed over all counts here; the algorithm's own (noisy_sums.py) is another code.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import logsumexp, xlogy
from scipy.stats import binom

from dpbandits.core.port import SimulatedNoise
from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.na_imed import GROWTH, MOST, POWER, SHARPEST, NaImed, offset
from dpbandits.stochastic.noisy_sums import log_posterior, most_likely

ROUNDING = 1e-9


def log_p(R, b, mu, eps):
    """ln of the density of Bin(b, mu) + Lap(1/eps), for arrays R x mu."""
    R, mu = np.atleast_1d(R)[:, None, None], np.atleast_1d(mu)[None, :, None]
    law = binom.logpmf(np.arange(b + 1), b, mu)
    return math.log(eps / 2) + logsumexp(law - eps * abs(R - np.arange(b + 1)), axis=2)


def instances(count, seed, most=60):
    """(b, eps, generator)"""
    rng = np.random.default_rng([60, seed])
    for _ in range(count):
        yield int(rng.integers(1, most)), float(np.exp(rng.uniform(-4, 2))), rng


def price(x, mu, y, eps):
    """kl(x, y) + eps |x - mu|"""
    return xlogy(x, x / y) + xlogy(1 - x, (1 - x) / (1 - y)) + eps * abs(x - mu)


def releases(b, mu, eps, rng, count):
    return rng.binomial(b, mu, count) + rng.laplace(scale=1 / eps, size=count)


def means(rng, count):
    return np.sort(rng.uniform(0.02, 0.98, count))


def binomial_mean(values, mu):
    """E h(S), S ~ Bin(n, mu), from the values h(0), ..., h(n)."""
    n = len(values) - 1
    return sum(math.comb(n, s) * mu**s * (1 - mu) ** (n - s) * values[s] for s in range(n + 1))


def test_lemma_1_the_discriminant_identity_in_exact_arithmetic():
    rng = np.random.default_rng(1)
    for b in range(2, 9):
        a = [Fraction(int(x), 97) for x in rng.integers(1, 97, b + 1)]
        mu = Fraction(int(rng.integers(1, 30)), 31)
        A0, A1, A2 = (binomial_mean(a[j : j + b - 1], mu) for j in range(3))
        B = binomial_mean(a, mu)
        first = b * binomial_mean([y - x for x, y in pairwise(a)], mu)
        second = b * (b - 1) * (A2 - 2 * A1 + A0)
        bracket = (1 - Fraction(1, b)) * first**2 - B * second
        assert bracket == b * (b - 1) * (A1**2 - A0 * A2)


def test_lemma_1_the_root_of_the_density_is_concave():
    grid = np.linspace(0.005, 0.995, 100)
    for b, eps, rng in instances(40, 1):
        R = np.r_[releases(b, rng.random(), eps, rng, 5), rng.uniform(-b, 2 * b, 5)]
        root = np.exp(log_p(R, b, grid, eps) / b)
        root /= root.max(axis=1, keepdims=True)
        assert np.diff(root, 2, axis=1).max() < 1e-12


def test_lemma_2_the_ratio_is_monotone():
    for b, eps, rng in instances(60, 2):
        R = np.sort(np.r_[np.linspace(-3, b + 3, 40), releases(b, 0.5, eps, rng, 20)])
        h, mu = means(rng, 2)
        ratio = np.diff(log_p(R, b, [h, mu], eps), axis=1)[:, 0]
        assert np.diff(ratio).min() > -ROUNDING


def nodes(b, eps):
    """Gauss-Legendre on [-40/eps, b + 40/eps], cut at the whole numbers, where p has kinks."""
    cuts = np.r_[np.geomspace(-40 / eps, -1e-3, 30), np.arange(b + 1)]
    cuts = np.r_[cuts, b - cuts[:30][::-1]]
    z, w = np.polynomial.legendre.leggauss(12)
    half = np.diff(cuts)[:, None] / 2
    return (cuts[:-1, None] + half * (z + 1)).ravel(), (half * w).ravel()


def affinity(b, y, best, eps):
    R, weight = nodes(int(b), eps)
    return weight @ np.exp(log_p(R, int(b), [y, best], eps).sum(axis=1) / 2)


def affinity_bound(eps, y, best, N, m):
    """Of Lemma 4 (iii)."""
    t = min(2 * (best - y), eps / 2)
    return 2 * (1 - (t / eps) ** 2) ** (-m / 2) * np.exp(-t * (best - y) * N / 8)


def test_lemma_4_the_martingale_and_the_affinity():
    """E_{mu_1}[p_h/p_y] <= 1 for h <= y <= mu_1, and the bound of (iii) after 1 to 3 batches."""
    for b, eps, rng in instances(40, 3):
        h, y, best = means(rng, 3)
        rho, N = 1.0, 0
        for m, size in enumerate((b, *rng.integers(1, 60, 2)), 1):
            R, weight = nodes(int(size), eps)
            p = log_p(R, int(size), [h, y, best], eps)
            assert weight @ np.exp(p[:, 2]) == pytest.approx(1, abs=1e-8)
            assert weight @ np.exp(p[:, 2] + p[:, 0] - p[:, 1]) <= 1 + 1e-8
            rho, N = rho * affinity(size, y, best, eps), N + size
            assert rho <= affinity_bound(eps, y, best, N, m)


def test_the_moments_of_lemmas_4_and_6():
    """E e^(t V), V = R - b mu, is at most e^(b t^2/8)/(1 - t^2/eps^2), and e^(b v t^2/2) of Lemma 6
    if |t| <= eps/2; neither can be smaller. What step 4 of Lemma 4 makes of them is (iii)."""
    for b, eps, rng in [*instances(40, 11), (60, 0.5, np.random.default_rng(11))]:
        mu, (y, best) = 0.5 if b == 60 else rng.random(), means(rng, 2)
        t = eps / 2 if b == 60 else min(2 * (best - y), eps / 2)
        v = 0.25 + 8 / (3 * b * eps**2)
        (R, weight), moment = nodes(b, eps), math.exp(b * t**2 / 8) / (1 - (t / eps) ** 2)
        for sign in (-1, 1):
            exact = weight @ np.exp(log_p(R, b, mu, eps)[:, 0] + sign * t * (R - b * mu))
            assert exact <= moment * (1 + ROUNDING) <= math.exp(b * v * t**2 / 2) * (1 + 2e-9)
            assert b != 60 or exact > 0.99 * moment > 0.94 * math.exp(b * v * t**2 / 2)
        chance = moment**3 * math.exp(-3 * b * t * (best - y) / 2)  # of three releases
        ratio = 2 * math.sqrt(chance) / affinity_bound(eps, y, best, 3 * b, 3)
        assert ratio <= 1 + ROUNDING
        assert t == eps / 2 or ratio == pytest.approx(1)


def test_a_release_tells_less_than_its_plays_and_nearly_all_if_it_is_long():
    """Steps 1 and 2 after Theorem 2; the bound of step 2 cannot be much smaller."""
    slack = []
    for b, eps, rng in instances(40, 10):
        (R, weight), (mu, y) = nodes(b, eps), means(rng, 2)
        p, d = log_p(R, b, [mu, y], eps), d_eps(mu, y, eps)
        lost = b * d - weight @ (np.exp(p[:, 0]) * (p[:, 0] - p[:, 1]))
        entropy = math.log(2 * math.pi * math.e * (0.5 + eps**2 * b * mu * (1 - mu) / 4)) / 2
        assert 0 < lost <= entropy
        slack.append(entropy - lost)
    assert min(slack) < 0.01


def batches(grow, first, most):
    """(sizes, plays after each)"""
    sizes = [first]
    while (N := sum(sizes)) < most:
        sizes.append(max(first, math.ceil(grow(N))))
        assert sizes[-1] <= N
    return np.array(sizes), np.cumsum(sizes)


GROWTHS = {
    "file": lambda N: min((GROWTH - 1) * N, N**POWER),
    "log": lambda N: N / (1 + math.log(N)),
    "power": lambda N: N**0.75,
}


def test_theorem_2_its_leading_term_is_that_of_the_sizes():
    """N_M where ln T is 50 (found by hand-written sums, without this code), and N_{M+1} d/ln T,
    which tends to at most gamma, slowly: here at ln T = 10^6; eta = 0."""
    mu, y, eps = 0.5, 0.75, 0.5
    d = d_eps(mu, y, eps)
    for name, most, plays in (("file", 1.5, 548), ("log", 1.1, 1180), ("power", 1.1, 853)):
        sizes, N = batches(GROWTHS[name], 16, 2e6 / d)
        W = np.cumsum(np.log((2 + eps * np.sqrt(sizes)) * 4 * math.exp(1 / 8)))
        ends = [np.nonzero(d * N - W + np.log(N) <= x)[0][-1] for x in (50, 1e6)]
        assert N[ends[0]] == plays
        assert 1 < N[ends[1] + 1] * d / 1e6 < most


def test_theorem_2_the_constant_of_section_4():
    eps, y, best = 1.0, 0.45, 0.75
    sizes, N = batches(GROWTHS["file"], 8, 1e6)
    rho = affinity_bound(eps, y, best, N, np.arange(1, len(N) + 1))
    terms = 2 * math.exp(2 + 1 / 4) * N * (1 + N)
    assert f"{terms @ rho:.1e}" == "6.6e+05"
    exact = np.cumprod([affinity(b, y, best, eps) for b in sizes[N < 1000]])  # then below 1e-15
    assert f"{terms[: len(exact)] @ exact:.1e}" == "4.8e+04"


def stacks(count, seed):
    """(sizes, releases, eps, mean, generator) of an arm after some batches, outliers among them."""
    for _, eps, rng in instances(count, seed):
        mean, sizes = rng.uniform(0.1, 0.95), [int(rng.integers(1, 12))]
        while len(sizes) < rng.integers(1, 6):
            sizes.append(max(sizes[0], math.ceil((GROWTH - 1) * sum(sizes))))
        R = [releases(b, mean, eps, rng, 1)[0] * rng.choice([1, 1, 3, -1]) for b in sizes]
        yield sizes, R, eps, mean, rng


def test_lemmas_3_and_4_on_random_stacks():
    """The supremum by the mixture, the slope of l, and (*) where the mode is below y."""
    met = 0
    for sizes, R, eps, mean, rng in stacks(120, 4):
        N, y = sum(sizes), mean * rng.uniform(0.5, 1)
        grid = np.linspace(1e-6, y, 2001)
        l = sum(log_p(r, b, grid, eps)[0] for r, b in zip(R, sizes, strict=True))  # noqa: E741
        mixture = logsumexp(l) - math.log(len(grid))
        most = min(N + 1, 1 + N * math.expm1(eps))
        assert l.max() <= math.log(most) + mixture + 1e-2  # the sum is within 1% of the integral
        assert abs(np.diff(l) / np.diff(grid)).max() <= N * math.expm1(eps) * (1 + ROUNDING)
        if most_likely(R, sizes, 0.5, eps) < y:
            met += 1
            two = sum(log_p(r, b, [y, mean], eps)[0] for r, b in zip(R, sizes, strict=True))
            assert two[1] - two[0] <= 0.5
    assert met > 20


def test_divergence_and_lemma_5():
    """inf = sup, its place, and the bound on the density."""
    t = np.linspace(-1, 1, 4001)
    for b, eps, rng in instances(60, 5):
        mu, y = means(rng, 2)
        dual = (eps * t * mu - np.log1p(y * np.expm1(eps * t))).max()
        assert d_eps(mu, y, eps) == pytest.approx(dual, rel=1e-4, abs=1e-6)
        s = min(eps, math.log(y / (1 - y)) - math.log(mu / (1 - mu)))
        R = np.r_[releases(b, mu, eps, rng, 20), rng.uniform(-b, 2 * b, 10)]
        bound = math.log(eps / 2) - b * d_eps(mu, y, eps) + s * (R - b * mu)
        assert (log_p(R, b, y, eps)[:, 0] <= bound + ROUNDING).all()


def test_lemma_6_on_simulated_stacks():
    """The exceptional event is far rarer than 3 exp(-r N): it never occurs in 2,000 stacks. The
    best tau <= eps/2 of step 3 gives the exponent of r."""
    eps, mu, y, eta = 1.0, 0.3, 0.6, 0.5
    rng, (sizes, N) = np.random.default_rng(6), batches(GROWTHS["file"], 8, 100)
    d, W = d_eps(mu, y, eps), np.cumsum(np.log((2 + eps * np.sqrt(sizes)) * 4 * math.exp(1 / 8)))
    phi = lambda x: 0.5 * math.log(x * (1 - x))  # noqa: E731
    low = (1 - eta) * d * N - W - max(0, phi(y) - phi(mu))
    ratio = [-np.diff(log_p(releases(b, mu, eps, rng, 2000), b, [mu, y], eps))[:, 0] for b in sizes]
    evidence = np.cumsum(ratio, axis=0).T + phi(mu) - phi(y)
    assert (evidence > low).all()
    assert (evidence.mean(axis=0) > d * N - W).all()
    v, half = 1 / 4 + 8 / (3 * 8 * eps), eta * d / (2 * eps)  # s = eps here
    tau = np.linspace(0, eps / 2, 9999)
    best = (tau * half - v * tau**2 / 2).max()
    assert best == pytest.approx(half / 2 * min(half / v, eps / 2))


class Watched(NaImed):
    """Checks steps 1 and 3 of the proof of Theorem 2 at every decision."""

    def size(self, i):
        return max(self.first, math.ceil(self.grow(self.n[i]))) if self.n[i] else self.first

    def log_posterior(self, k, mu):
        at, eps = self.count[k], min(self.epsilon, SHARPEST)
        return log_posterior(self.sums[k, :at], self.sizes[k, :at], mu, eps)

    def choose(self, allowed=None):
        decides = self.i is None
        i = super().choose(allowed)
        if decides:
            y, best, t = self.y, int(np.argmax(self.arms)), int(self.n.sum())
            assert (self.n > 0).all()
            if self.top.max() >= y:
                evidence = self.log_posterior(i, self.arms[i]) - self.log_posterior(i, y)
                self.steps[0] += 1
                assert i == best or evidence <= math.log(t / self.n[i]) + ROUNDING
            else:
                D = self.log_posterior(best, self.top[best]) - self.log_posterior(best, y)
                self.steps[1] += 1
                assert self.top[best] < y
                assert self.n[i] <= self.n[best] * math.exp(offset(D)) * (1 + ROUNDING)
        return i


def test_theorem_2_the_decomposition_on_simulated_paths():
    steps, rng = [0, 0], np.random.default_rng(7)
    for run in range(24):
        eps, arms = float(rng.choice([0.2, 1.0, 5.0])), rng.uniform(0.1, 0.9, 3)
        learner = Watched(3, eps, SimulatedNoise(rng), rng, None)
        learner.arms, learner.steps = arms, steps
        learner.grow = list(GROWTHS.values())[run % 3]
        first, second = np.sort(arms)[::-1][:2]
        learner.y = (first + second) / 2
        for _ in range(600 if run % 4 else 2000):
            J = learner.act()
            learner.update(J, float(rng.random() < arms[J]))
    assert steps[0] > 300
    assert steps[1] > 50


def test_theorem_4_sums_of_at_most_0():
    """The density and the probability of R <= 0 in closed form, and the growth with a factor."""
    for b, eps, rng in instances(20, 8):
        q, mu, R = -math.expm1(-eps), rng.random(), -rng.exponential(size=3)
        exact = math.log(eps / 2) + eps * R + b * math.log1p(-mu * q)
        np.testing.assert_allclose(log_p(R, b, mu, eps)[:, 0], exact, rtol=1e-10)
    a = lambda x, eps: -math.log1p(x * math.expm1(-eps))  # noqa: E731
    assert a(0.75, 0.1) / a(0.74, 0.1) < 1.02  # so close means break every factor


def test_theorem_4_the_exponent_of_its_instance_in_fractions():
    """a(3/4)/a(5/8) is in (1.207, 1.208), so the exponent in (0.0707, 0.0716)."""
    terms = [Fraction(-1, 10) ** k / math.factorial(k) for k in range(12)]
    low, high = 1 - sum(terms[:11]), 1 - sum(terms)  # they alternate: 1 - e^-0.1 is between
    assert 0 < high - low < Fraction(1, 10**18)
    left = lambda q: (1 - Fraction(3, 4) * q) ** 1000  # noqa: E731
    right = lambda q, power: (1 - Fraction(5, 8) * q) ** power  # noqa: E731
    assert float(left(low) / right(high, 1207)) < 1 < float(left(high) / right(low, 1208))


def test_theorem_4_a_starved_best_arm_stays_starved():
    """After releases of at most 0 the evidence is that of the proof, and the index of a factor of
    1.3 grows faster than the logarithm of one over the probability of these releases."""
    eps, best, x, q = 0.1, 0.75, 0.62, -math.expm1(-0.1)
    learner = NaImed(2, eps, None, None)
    for m in range(12):
        learner.release(0, -1.0, learner.size(0))
        N, so_far = int(learner.n[0]), (learner.sums[0, : m + 1], learner.sizes[0, : m + 1])
        D = learner.highest[0] - log_posterior(*so_far, x, eps)
        low = -N * math.log1p(-x * q) - 0.5 * math.log(2 * N) - 2
        assert learner.top[0] < x
        assert low <= D
        rarity = (m + 1) * math.log(2) - N * math.log1p(-best * q)
    assert 1.3 * low > rarity > low  # with a bounded offset the rarity wins


def test_theorem_3_the_price_of_a_coupling_and_a_change_of_measure_is_the_divergence():
    """No point, in between or outside, is cheaper."""
    for _, eps, rng in instances(40, 9):
        mu, y = means(rng, 2)
        z = np.linspace(mu, y, 5001)
        assert price(z, mu, y, eps).min() == pytest.approx(d_eps(mu, y, eps), rel=1e-5, abs=1e-9)
        z = np.linspace(0, 1, 1001)
        assert price(z, mu, y, eps).min() >= d_eps(mu, y, eps) - ROUNDING


def test_section_4_what_a_batch_really_loses():
    """b d - k_b where eps decides: half the logarithm of the release's variance, and a constant; at
    mean 0 it tends to 1."""

    def lost(b, mu, y, eps):
        R, weight = nodes(b, eps)
        there, other = (log_p(R, b, mean, eps)[:, 0] for mean in (mu, y))
        return b * d_eps(mu, y, eps) - weight @ (np.exp(there) * (there - other))

    assert lost(320, 0.0, 0.7, 0.1) == pytest.approx(1, abs=1e-6)
    grown = lost(320, 0.3, 0.9, 1.0) - lost(80, 0.3, 0.9, 1.0)
    assert grown == pytest.approx(math.log((0.21 * 320 + 2) / (0.21 * 80 + 2)) / 2, abs=1e-3)


@pytest.mark.parametrize("epsilon", [100.0, 2.0, 0.1, 0.001])  # first batches of 1 to 8,000 plays
def test_the_batches_of_the_file_meet_the_conditions_of_theorem_2(epsilon):
    """b_{m+1} <= N_m (checked by `batches`), growth tends to 1, and MOST releases are enough."""
    learner = NaImed(2, epsilon, None, None)
    while learner.n[0] < 2**53:
        learner.n[0] += learner.size(0)
        learner.count[0] += 1
        batch, so_far = learner.size(0), int(learner.n[0])
        assert batch <= so_far
        longest = min(so_far / 2, so_far**POWER)
        assert batch == pytest.approx(max(learner.first, longest), abs=1)
    assert learner.count[0] <= MOST
    assert batch / so_far < 0.16
