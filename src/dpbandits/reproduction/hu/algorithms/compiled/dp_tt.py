"""`one_run` of ../dp_tt.py, which says what it is."""

import math

import numpy as np

from dpbandits.core.compiled import jit, jit_all
from dpbandits.core.variates import binomial, laplace, uniform
from dpbandits.stochastic import divergences
from dpbandits.stochastic.engine.runs import record

HALVINGS = 30  # in which the p of a cost is found
d_eps = jit_all(divergences.d_eps)


@jit
def slope(x, y, decay):
    """The derivative of d_eps(x, y) in y, above x; decay = e^-eps."""
    shrunk = 1 - y * (1 - decay)
    return (1 - decay) / shrunk if y * decay > x * shrunk else (y - x) / (y * (1 - y))


@jit
def cost(a, b, n_a, n_b, epsilon, decay):
    """min over p of n_a d_eps(a, p) + n_b d_eps(b, p), for means a > b; else 0."""
    low, high = b, a
    if a <= b:
        return 0.0
    for _ in range(HALVINGS):
        p = 0.5 * (low + high)
        if n_b * slope(b, p, decay) < n_a * slope(1 - a, 1 - p, decay):
            low = p
        else:
            high = p
    p = 0.5 * (low + high)
    return n_a * d_eps(1 - a, 1 - p, epsilon) + n_b * d_eps(b, p, epsilon)


@jit
def largest(mean, stream):
    """Of equals one at random."""
    leader, equals = 0, 0
    for j in range(len(mean)):
        if mean[j] > mean[leader]:
            leader, equals = j, 1
        elif mean[j] == mean[leader]:
            equals += 1
            if uniform(stream) * equals < 1:
                leader = j
    return leader


@jit
def proved(leader, mean, n, epsilon, delta):
    """Whether the leader beats all others."""
    level, decay = math.log((len(mean) - 1) / delta), math.exp(-epsilon)
    for b in range(len(mean)):
        if b != leader:
            needed = level + math.log(1 + math.log(n[leader])) + math.log(1 + math.log(n[b]))
            if cost(mean[leader], mean[b], n[leader], n[b], epsilon, decay) <= needed:
                return False
    return True


@jit
def challenger_of(leader, mean, plays, epsilon):
    found, least, decay = -1, np.inf, math.exp(-epsilon)
    for b in range(len(mean)):
        if b != leader:
            value = math.log(plays[b])
            if value < least:
                value += cost(mean[leader], mean[b], plays[leader], plays[b], epsilon, decay)
            if value < least:
                found, least = b, value
    return found


@jit
def one_run(bandit, results, stream, end, epsilon, delta):
    arms, t = len(bandit.means), 0
    plays, n, sums = np.zeros(arms), np.zeros(arms), np.zeros(arms)  # n: plays in the releases
    led, own = np.zeros(arms), np.zeros(arms)  # rounds in which it led; of these its own
    mean, leader, arm = np.zeros(arms), -1, 0
    while t < bandit.horizon:
        if t < arms:
            arm = t
        else:
            led[leader] += 1
            arm = leader
            if own[leader] <= 0.5 * led[leader]:
                own[leader] += 1
            else:
                arm = challenger_of(leader, mean, plays, epsilon)
        record(bandit, results, arm, t, t + 1)
        t += 1
        plays[arm] += 1
        if plays[arm] >= 2 * n[arm]:
            fresh = np.int64(plays[arm] - n[arm])
            sums[arm] += binomial(stream, fresh, bandit.means[arm]) + laplace(stream, 1 / epsilon)
            n[arm] = plays[arm]
            mean[arm] = min(max(sums[arm] / n[arm], 0.0), 1.0)
            if t >= arms:
                leader = largest(mean, stream)
                if proved(leader, mean, n, epsilon, delta):
                    end[0], end[1] = t, leader
                    record(bandit, results, leader, t, bandit.horizon)
                    return
