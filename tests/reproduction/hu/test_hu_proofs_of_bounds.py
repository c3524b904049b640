"""Sections 3 to 6 of docs/proofs/HU.md step by step, as in test_hu_proofs.py: all exact."""

import itertools
import math
from itertools import islice, product

import numpy as np
import pytest
from scipy.stats import binom

from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.ledger.claims import get_claim


def laws_of_lead(better, worse):
    """The laws of the difference of two sums of n rewards, from -n to n, for n = 0, 1, 2, ..."""
    law, step = np.array([1.0]), np.convolve([1 - better, better], [worse, 1 - worse])
    while True:
        yield law
        law = np.convolve(law, step)


# 3. Lower bounds ------------------------------------------------------------------------------


def test_theorem_l_on_a_learner_that_re_decides_once():
    """An eps-DP learner that explores n rounds and then plays the leader of the exponential
    mechanism, on an instance of Theorem L: never below the theorem's bound."""
    tightest = math.inf
    for arms, gap, epsilon in product((2, 5, 50, 1000), (0.05, 0.3, 1.0), (0.05, 0.5, 2.0)):
        horizon = int(20 * math.log(arms) / math.log1p(gap * math.expm1(epsilon)))
        bound = theory.theorem_l_bound(arms, gap, epsilon, horizon)
        for n in np.unique(np.linspace(0, horizon, 30).astype(int)):
            lead = np.arange(n + 1)
            right = binom.pmf(lead, n, gap) @ (1 / (1 + (arms - 1) * np.exp(-epsilon / 2 * lead)))
            regret = gap * ((1 - 1 / arms) * n + (1 - right) * (horizon - n))
            tightest = min(tightest, regret / bound)
    assert 1 <= tightest < 3


def test_theorem_m_bounds_follow_the_leader():
    """FTL on the packing class, exact for K = 2: above the bound at every T."""
    gap, wrong = 0.1, []
    for n, law in enumerate(islice(laws_of_lead(0.5 + gap, 0.5), 400)):
        wrong.append(law[:n].sum() + law[n] / 2)
    regret = gap * np.cumsum(wrong)
    bounds = [theory.theorem_m_bound(2, gap, t + 1) for t in range(400)]
    assert (regret >= np.array(bounds) - 1e-12).all()


def test_theorem_12_with_the_constant_40():
    """The proof's case distinction on a grid of the theorem's whole range, at its smallest T."""
    least = math.inf
    for arms, gap, epsilon in product(
        (4, 5, 10, 10**3, 10**9), (1e-3, 0.01, 0.1, 0.2499), (1e-4, 1e-3, 0.01, 0.1, 0.2, 1, 10)
    ):
        k = math.log(arms)
        horizon = math.ceil(max(k / (16 * gap**2), k / (10 * epsilon * gap)))
        bound = max(
            theory.theorem_l_bound(arms, gap, epsilon, horizon),
            theory.theorem_m_bound(arms, gap, horizon),
        )
        least = min(least, bound / (max(1 / gap, 1 / epsilon) * k))
    assert least >= 1 / 40


# 4. RNM-FTNL as printed -----------------------------------------------------------------------


def test_minimax_remark_holds_for_epsilon_up_to_1():
    """Theorem M's sum at the two gaps of the proof, at the shortest T and beyond."""
    tightest = math.inf
    for arms, epsilon in product((2, 3, 4, 10, 10**4, 10**9), (0.01, 0.1, 0.5, 1.0)):
        log_k = math.log(arms)
        shortest = max(1, math.ceil(log_k / (100 * epsilon**2)))
        for horizon in {shortest, 10 * shortest, max(shortest, math.ceil(16 * log_k) + 1)}:
            gap = min(1 / 16, math.sqrt(log_k / horizon) / 4)
            c = math.sqrt(1 + 4 * gap**2)
            terms = 1 - c ** np.arange(float(horizon)) / math.sqrt(arms)
            regret = gap * np.maximum(terms, 0).sum()
            rate = max(math.sqrt(horizon * log_k), log_k / epsilon)
            tightest = min(tightest, regret / rate)
    assert 1.4e-4 < tightest < 0.1


# 5. The lazy algorithms -----------------------------------------------------------------------

INSTANCES = tuple(product((1e-3, 0.1, 1.0), (0.01, 1.0, 100.0), (3, 100, 10**9)))  # gap, eps, T


def test_lemma_19_constants():
    terms = [theory.lemma_19_term(s) for s in range(6, 14)]
    assert terms[0] < 0.2
    assert max(b / a for a, b in itertools.pairwise(terms)) < 2 / 3
    assert sum(terms) + 2 * terms[-1] < 0.4  # so the rest is at most 2/3/(1 - 2/3) of the last
    for gap, epsilon, horizon in INSTANCES:
        d = theory.sufficient_epoch(gap, epsilon, horizon, 24)
        assert d + 1 >= 6
        level = 3 * math.log(horizon) / 2.0**d
        assert math.sqrt(level) + level / epsilon < gap / 2  # step 2


def test_step_46_by_simulation():
    """400,000 plain runs of the first four rounds: above the certificate's lower bound, which is
    above 5^-3, and below the union's; the seed is fixed."""
    rng, runs, epsilon = np.random.default_rng(46), 400_000, 1.0
    noise = rng.laplace(0, 1 / epsilon, (runs, 2))
    wins = np.ones(runs, bool)
    for t in (3, 4):
        mu_bar = np.clip(noise + 3 * math.log(t) / epsilon, 0, 1)
        theta = rng.beta(mu_bar + 1, 2 - mu_bar)
        wins &= theta[:, 1] > theta[:, 0]
    share = (np.abs(noise[~wins, 1]) > 3 * math.log(5) / epsilon).mean()
    certificate = get_claim("HU-L23").certificates()["step (46)"]["enclosures"]
    assert 1 / 125 < float(certificate["left"][1]) < share < (math.log2(5) + 1) / 125


def tails(n, y):
    """P(theta_x <= y) and log P(theta_x > y) for x = 0..n, by Fact 18."""
    law = binom.logpmf(np.arange(n + 2), n + 1, y)
    above = np.logaddexp.accumulate(law)[:-1]  # theta_x > y: at most x of n + 1 below
    return np.exp(np.logaddexp.accumulate(law[::-1])[::-1][1:]), above


def test_theorem_t_steps_on_many_states():
    """T.1 (its integral, by Gauss's rule), T.2 (f falls) and T.3 (each p_x)."""
    rng, nodes = np.random.default_rng(11), np.polynomial.legendre.leggauss(400)
    for _ in range(150):
        n, y = int(2 ** rng.uniform(0, 7)), rng.uniform(0.02, 0.95)
        below, above = tails(n, y)
        z, x = y + (1 - y) * (nodes[0] + 1) / 2, np.arange(n + 1)
        f = (np.exp(binom.logpmf(x, n, z[:, None]) - above) * below).sum(1)
        assert (1 - y) / 2 * nodes[1] @ f == pytest.approx(y, rel=1e-6)
        assert (np.diff(f) <= 1e-9 * f[:-1]).all()
        a = rng.uniform(0, 1) * (1 - y)
        p = below * np.exp(tails(n, y + a)[1] - above)
        t = x / n - y
        between = np.exp(-2 * n * (t**2 + np.maximum(a - t, 0) ** 2))
        bound = np.where(t <= 0, np.exp(4 * a * n * t - 2 * n * a**2), between)
        assert (p <= bound * (1 + 1e-9)).all()
        steep, root = 1 / -math.expm1(-4 * a), math.sqrt(math.pi * n)
        outside = steep + min(steep, 1 + root / math.sqrt(8))
        total = math.exp(-2 * n * a**2) * outside + math.exp(-n * a**2) * (1 + root / 2)
        assert p.sum() <= total * (1 + 1e-9)


def test_theorem_t_and_lemma_7_withstand_the_search():
    """4,000 random (n, mean, y), y down to 10^-3 means away and means up to 1 - 10^-4."""
    rng, worst, printed = np.random.default_rng(0), 0.0, 0.0
    for _ in range(4000):
        n = int(2 ** rng.uniform(0, 9))
        mean = rng.uniform(0.001, 1) if rng.random() < 0.7 else 1 - 10 ** rng.uniform(-4, -1)
        shift = 0.999 * mean * 10 ** rng.uniform(-3, 0)
        below, above = tails(n, mean - shift)
        f = float((np.exp(binom.logpmf(np.arange(n + 1), n, mean) - above) * below).sum())
        worst = max(worst, f / theory.overestimation_bound(shift, n), f * shift / (mean - shift))
        v = n * shift**2
        if n * shift >= 8:
            second = math.exp(-v / 2) + math.exp(-2 * v) / ((n + 1) * shift**2)
            printed = max(printed, f / (second + 1 / math.expm1(v / 4)))
    assert 0.4 < worst <= 1
    assert printed <= 1.4


# 6. Further statements ------------------------------------------------------------------------


def test_statement_56_on_exponential_mechanisms_and_its_last_step():
    """Steps 1 (the distance), 3, and three learners, exact for K = 2."""
    for gap in (0.05, 0.2, 0.5):
        first = np.outer([0.5 - gap, 0.5 + gap], [0.5, 0.5])
        second = np.outer([0.5, 0.5], [0.5 - gap, 0.5 + gap])
        assert np.abs(first - second).sum() / 2 == pytest.approx(gap)
        for n, law in enumerate(islice(laws_of_lead(0.5 + gap, 0.5), 60)):
            for epsilon in (0.1, 1.0, 5.0):
                error = law @ (1 / (1 + np.exp(epsilon / 2 * np.arange(-n, n + 1))))
                assert error >= 0.45 * min(1, math.exp(-10 * epsilon * n * gap))
    for arms, spent in product((2, 5, 100), np.linspace(0, 20, 50)):
        exact = 0.9 * (arms - 1) / (arms - 1 + math.exp(spent))
        assert exact >= 0.45 * min(1, (arms - 1) / math.exp(spent)) * (1 - 1e-12)


def test_follow_the_leader_below_its_bound():
    """K = 2, ties lost: exact regret to 1,500 rounds; the two parts of the integral."""
    for gap in (0.05, 0.2, 0.8):
        regret = 0.0
        for m, law in enumerate(islice(laws_of_lead((1 + gap) / 2, (1 - gap) / 2), 1500)):
            wrong = law[: m + 1].sum()
            assert wrong <= 2 * math.exp(-m * gap**2 / 2)
            regret += gap * wrong
        assert regret <= 1 + 4 * (1 + math.log(2)) / gap
