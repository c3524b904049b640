"""Each algorithm that plays in phases, written a second time from its paper, in plain Python.

The library compiles such an algorithm from its own file, so that its engine is no second
implementation. Here are no classes, no arrays and no formulas of the library: bounds are found by
bisection, and d_eps by a search for its minimum. Both receive the same rewards and the same noise,
and must play the same arms (continuous noise: no ties).
"""

import math

import numpy as np
import pytest

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.port import SimulatedNoise
from dpbandits.stochastic.rounds import decisions

HALVINGS, THIRDS = 55, 120


def kl(p, s):
    """Of Bernoulli laws with means p and q = 1 - e^-s."""
    total = (1 - p) * s
    if p > 0:
        total += p * (math.log(p) - math.log(-math.expm1(-s)))
    if p < 1:
        total += (1 - p) * math.log1p(-p)
    return total


def largest(p, bounded):
    """The largest s >= -ln(1 - p) that passes."""
    if p >= 1:
        return math.inf
    low, width = -math.log1p(-p), 1e-9
    if bounded(1e17):
        return math.inf
    while bounded(low + width):
        width *= 4
    high = low + width
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if bounded(middle) else (low, middle)
    return low


def d_eps(x, s, epsilon):
    """min over z from x to q of eps (z - x) + kl(z, q), q = 1 - e^-s; convex in z."""
    low, high = x, 1.0 if s == math.inf else -math.expm1(-s)
    if low >= high:
        return 0.0
    if s == math.inf:  # kl(z, 1) is infinite but for z = 1
        return epsilon * (1 - x)
    f = lambda z: epsilon * (z - x) + kl(z, s)  # noqa: E731
    for _ in range(THIRDS):
        third = (high - low) / 3
        low, high = (low, high - third) if f(low + third) < f(high - third) else (low + third, high)
    return f((low + high) / 2)


def first(values):
    return max(range(len(values)), key=values.__getitem__)


def adap(index):
    """Azize and Basu 2022: an episode plays an arm as often as all its episodes before."""

    def run(K, epsilon, T, reward, noise, rng):
        played, plays, n, mean = [], [0] * K, [1] * K, [0.0] * K
        for turn in range(T):
            t = len(played) + 1
            a = turn if turn < K else first([index(mean[i], n[i], t, epsilon) for i in range(K)])
            n[a] = max(1, plays[a])
            rewards = []
            while len(rewards) < n[a]:
                if len(played) == T:
                    return played
                rewards.append(reward(a))
                played.append(a)
            mean[a] = (sum(rewards) + noise() / epsilon) / n[a]
            plays[a] += n[a]
        return played

    return run


ALPHA, GROW = 3.1, 1.1


def ucb(mean, n, t, epsilon):
    width = math.sqrt(ALPHA * math.log(2 * t) / (2 * n))
    return mean + width + ALPHA * math.log(t) / (epsilon * n)


def klucb(mean, n, t, epsilon):
    level = ALPHA * math.log(t)
    p = min(max(mean + level / (epsilon * n), 0.0), 1.0)
    return largest(p, lambda s: n * kl(p, s) <= level)


def summed(choose):
    """Azize et al. 2025: a phase of an arm makes its plays g times as many, and adds its noisy sum
    to the arm's; the first one is one play."""

    def run(K, epsilon, T, reward, noise, rng):
        played, n, total = [], [0] * K, [0.0] * K
        while len(played) < T:
            mean = [min(max(s / max(k, 1), 0.0), 1.0) for s, k in zip(total, n, strict=True)]
            a = len(played) if len(played) < K else choose(mean, n, len(played) + 1, epsilon)
            length = max(1, math.ceil((GROW - 1) * n[a]))
            for _ in range(length):
                if len(played) == T:
                    return played
                total[a] += reward(a)
                played.append(a)
            total[a] += noise() / epsilon
            n[a] += length
        return played

    return run


def dp_klucb(mean, n, t, epsilon):
    return first([
        largest(x, lambda s, x=x, k=k: d_eps(x, s, epsilon) <= math.log(t) / k)
        for x, k in zip(mean, n, strict=True)
    ])  # fmt: skip


def dp_imed(mean, n, t, epsilon):
    best = math.inf if max(mean) >= 1 else -math.log1p(-max(mean))
    cost = [k * d_eps(x, best, epsilon) + math.log(k) for x, k in zip(mean, n, strict=True)]
    return first([-x for x in cost])


def lazy(index):
    """HU Algorithms 1 and 3: an arm is chosen in every round; its mean is released anew when it
    has twice as many rewards as at the last time, of these alone."""

    def run(K, epsilon, T, reward, noise, rng):
        played, of_release, mean, batch = [], [0] * K, [0.0] * K, [[] for _ in range(K)]
        for t in range(1, T + 1):
            a = t - 1 if t <= K else index(mean, of_release, t, epsilon, rng)
            played.append(a)
            batch[a].append(reward(a))
            if len(batch[a]) == max(1, 2 * of_release[a]):
                of_release[a] = len(batch[a])
                mean[a] = (sum(batch[a]) + noise() / epsilon) / of_release[a]
                batch[a] = []
        return played

    return run


def lazy_ucb(mean, n, t, epsilon, rng):
    log = 3 * math.log(t)
    return first(
        [x + math.sqrt(log / k) + log / (epsilon * k) for x, k in zip(mean, n, strict=True)]
    )


def lazy_ts(mean, n, t, epsilon, rng):
    means = [
        min(max(x + 3 * math.log(t) / (epsilon * k), 0), 1) for x, k in zip(mean, n, strict=True)
    ]
    return first([rng.beta(x * k + 1, (1 - x) * k + 1) for x, k in zip(means, n, strict=True)])


PLAIN = {
    "adap-ucb": adap(ucb), "adap-klucb": adap(klucb), "dp-klucb": summed(dp_klucb),
    "dp-imed": summed(dp_imed), "anytime-lazy-ucb": lazy(lazy_ucb), "lazy-dp-ts": lazy(lazy_ts),
}  # fmt: skip
ROUNDS = {"dp-klucb": 160, "dp-imed": 800, "lazy-dp-ts": 800}


class Given:
    """A generator whose Laplace noise is given."""

    def __init__(self, noise, rng):
        self.noise, self.beta = iter(noise), rng.beta

    def laplace(self, scale, size=None):
        return scale * next(self.noise)


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 30.0])
@pytest.mark.parametrize("name", PLAIN)
def test_the_learner_plays_as_the_paper_says(name, epsilon):
    K, T, rng = 3, ROUNDS.get(name, 3000), np.random.default_rng([len(name), int(10 * epsilon)])
    phases = {"growth": GROW, "first_batch": 0} if name.startswith("dp-") else {}
    options = {"alpha": ALPHA} if name.startswith("adap") else phases
    switches = 0
    for run in range(4):
        noise, rewards = rng.laplace(size=T), rng.random((T, K)) < rng.random(K)
        counts = [0, 0]

        def reward(arm, who, rewards=rewards, counts=counts):
            counts[who] += 1
            return float(rewards[counts[who] - 1, arm])

        given = Given(noise, np.random.default_rng(run))
        learner = get_algorithm(name).learner(
            K, epsilon, SimulatedNoise(given), given, T, **options
        )
        played = decisions(learner, lambda a, r=reward: r(a, 0), T)
        draws = iter(noise)
        again = PLAIN[name](K, epsilon, T, lambda a, r=reward: r(a, 1), lambda d=draws: next(d),
                            np.random.default_rng(run))  # fmt: skip
        np.testing.assert_array_equal(played, again)
        switches += (np.diff(played[K:]) != 0).sum()
    assert switches > 4  # the arms are compared, not only played in turn
