"""Theorems B and C of docs/proofs/INFERENCE.md, attacked."""

import math
from itertools import product

import numpy as np
import pytest

from dpbandits.inference.evidence import apart
from dpbandits.reproduction.hu.sample_complexity import d_eps, proportions, slope

FIVE = (0.75, 0.625, 0.5, 0.375, 0.25)


# Theorem C ----------------------------------------------------------------------------------------


def responses(epsilon):
    """Randomized response: P(answer | reward), rows are rewards."""
    true = 1 / (1 + math.exp(-epsilon))
    return np.array([[true, 1 - true], [1 - true, true]])


def noisy_sums(epsilon, b):
    """P(clamped release | rewards in the batch) for discrete Laplace noise, rows are sums."""
    ratio, values = math.exp(-epsilon), np.arange(-60, b + 61)
    law = (1 - ratio) / (1 + ratio) * ratio ** np.abs(values - np.arange(b + 1)[:, None])
    low, high = values <= -2, values >= b + 2
    middle = law[:, ~low & ~high]
    return np.column_stack([law[:, low].sum(axis=1), middle, law[:, high].sum(axis=1)])


def outputs(rule, means, epsilon):
    """(probabilities of all outputs, expected plays of each arm) of a rule: a tree of arms and
    batch lengths, in which each answer leads on."""
    found, plays = [], np.zeros(len(means))

    def visit(node, probability):
        if not isinstance(node, tuple):
            found.append(probability)
            return
        arm, b, children = node
        plays[arm] += b * probability
        law = responses(epsilon) if b == 1 else noisy_sums(epsilon, b)
        sums = np.array([math.comb(b, s) * means[arm] ** s * (1 - means[arm]) ** (b - s)
                         for s in range(b + 1)])  # fmt: skip
        for child, p in zip(children, sums @ law, strict=True):
            visit(child, probability * p)

    visit(rule, 1.0)
    return np.array(found), plays


def random_rule(rng, depth, epsilon, arms):
    """It stops at random places."""
    if depth == 0 or rng.random() < 0.15:
        return "stop"
    b = int(rng.integers(1, 4))
    branches = 2 if b == 1 else noisy_sums(epsilon, b).shape[1]
    children = [random_rule(rng, depth - 1, epsilon, arms) for _ in range(branches)]
    return int(rng.integers(arms)), b, children


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 2.0, 6.0])
def test_no_private_rule_tells_more_than_lemma_4_allows(epsilon):
    """The exact divergence of the outputs of small rules, their releases included."""
    rng, closest = np.random.default_rng([3, int(10 * epsilon)]), 0.0
    for _ in range(60):
        arms = int(rng.integers(2, 4))
        rule = random_rule(rng, 4, epsilon, arms)
        mu, other = rng.choice([0, 0.01, 0.2, 0.5, 0.9, 1], arms), rng.uniform(0.02, 0.98, arms)
        other = np.where(rng.random(arms) < 0.3, mu, other)
        p, plays = outputs(rule, mu, epsilon)
        q, _ = outputs(rule, other, epsilon)
        told = (p[p > 0] * np.log(p[p > 0] / q[p > 0])).sum()
        most = sum(n * d_eps(a, b, epsilon) for n, a, b in zip(plays, mu, other, strict=True))
        assert told <= most + 1e-12
        closest = max(closest, told / most if most else 0)
    assert closest > 0.1  # not far from it, so that the test can fail


def test_the_printed_lower_bound_holds_for_tiny_errors():
    """kl(1 - delta, delta) >= ln(1/(2.4 delta)), for delta from 1/2 down to 1e-80."""
    for exponent in np.linspace(math.log10(2), 80, 400):
        log = -exponent * math.log(10)  # of delta
        delta = math.exp(log)
        kl = (1 - 2 * delta) * (math.log1p(-delta) - log)
        assert kl >= -math.log(2.4) - log - 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_the_characteristic_time_is_the_best_of_all_proportions(epsilon):
    for means in ((0.6, 0.4), (0.9, 0.85, 0.3), (1.0, 0.5, 0.0)):
        time, w = proportions(means, epsilon)
        told = np.array([[d_eps(m, y, epsilon) for y in np.linspace(0, 1, 2001)] for m in means])

        def cost(w, told=told):
            return min((w[0] * told[0] + w[b] * told[b]).min() for b in range(1, len(told)))

        assert cost(w) == pytest.approx(1 / time, rel=2e-3)
        grid = [w for w in product(np.arange(0.02, 1, 0.07), repeat=len(means) - 1) if sum(w) < 1]
        assert max(cost((1 - sum(x), *x)) for x in grid[:60]) <= 1 / time * (1 + 2e-3)


def test_d_eps_is_lipschitz_and_monotone():
    grid = np.linspace(0, 1, 41)
    for epsilon in (0.05, 1.0, 8.0):
        table = np.array([[d_eps(r, y, epsilon) for y in grid] for r in grid])
        assert (table >= -1e-15).all()
        assert (np.abs(np.diff(table, axis=0)) <= epsilon * np.diff(grid)[0] + 1e-12).all()
        assert (table <= epsilon * np.abs(grid[:, None] - grid) + 1e-12).all()
        for k in range(41):
            assert (np.diff(table[k, k:]) >= -1e-12).all()
            assert (np.diff(table[k, : k + 1]) <= 1e-12).all()
            convex = np.diff(table[k], 2)
            assert (convex >= -1e-12).all()
        numeric = (d_eps(0.3, 0.6 + 1e-7, epsilon) - d_eps(0.3, 0.6 - 1e-7, epsilon)) / 2e-7
        assert slope(0.3, 0.6, epsilon) == pytest.approx(numeric, rel=1e-5)


# Theorem B ----------------------------------------------------------------------------------------


def track(means, epsilon, levels, rng):
    """Stopping times of the tracking rule with L_r = r^2, eta_r = 1/r for each ln(1/delta)."""
    K, r, ends = len(means), 0, []
    S, N, w = np.zeros(K), np.zeros(K), np.full(K, 1 / K)
    while len(ends) < len(levels):
        r += 1
        n = np.ceil(r * r * ((1 - 1 / r) * w + 1 / (r * K))).astype(int)
        S += rng.binomial(n, means) + rng.laplace(scale=1 / epsilon, size=K)
        N += n
        mean, m = np.clip(S / N, 0, 1), np.full(K, float(r))
        leader, needed = int(mean.argmax()), levels[len(ends)] + math.log(K - 1)
        others = [b for b in range(K) if b != leader]
        if np.sort(mean)[-1] - np.sort(mean)[-2] > 1e-9:
            time, w = proportions(tuple(mean), epsilon)
            if N.sum() >= time * needed / 1.5 and all(
                apart(leader, b, 0.0, needed, S, N, m, epsilon) >= needed for b in others
            ):
                ends.append(N.sum())
    return ends


@pytest.mark.parametrize(("means", "epsilon"), [(FIVE, 1.0), ((1.0, 0.9, 0.0), 0.5)])
def test_tracking_comes_near_the_lower_bound_as_the_error_falls(means, epsilon):
    """Theorem B, at delta = 1e-20, 1e-80 and e^-10000: stopping times over T* ln(1/delta)."""
    levels = [20 * math.log(10), 80 * math.log(10), 10_000.0]
    time, _ = proportions(means, epsilon)
    ratios = track(means, epsilon, levels, np.random.default_rng(0)) / (time * np.array(levels))
    assert (np.diff(ratios) < 0).all()
    assert 0.97 < ratios[-1] < 1.2
