"""DP-KLUCB (Azize et al. 2025), the phases that it shares with DP-IMED, and their divergence d_eps.

An arm's m-th phase adds B_m = max(1, ceil(g^m) - ceil(g^(m-1))) pulls and one Lap(1/eps) to a sum
that is never forgotten; decisions are taken only between phases. d_eps(x, y) = inf over z between
x and y of eps |z - x| + kl(z, y).
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, laplace
from dpbandits.stochastic.engine.bernoulli_kl import entropy, kl_at, upper_bound
from dpbandits.stochastic.engine.runs import record, simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    parameters = (False, setting.growth, epsilon)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, *parameters)


@jit
def one_run(bandit, results, stream, imed, growth, epsilon):
    arms, pulls = len(bandit.means), results.pulls
    phase = np.zeros(arms, np.int64)
    total = np.zeros(arms)  # private sum of all pulls
    mean = np.empty(arms)  # clipped private mean
    t = 0
    while t < bandit.horizon:
        if t < arms:
            arm, count = t, 1
        else:
            if imed:
                arm = imed_leader(mean, pulls, epsilon)
            else:
                arm = kl_leader(mean, pulls, math.log(t + 1), epsilon)
            count = batch(phase[arm], growth)
        last = min(t + count, bandit.horizon)
        record(bandit, results, arm, t, last)
        phase[arm] += 1
        total[arm] += binomial(stream, count, bandit.means[arm]) + laplace(stream, 1.0 / epsilon)
        mean[arm] = min(max(total[arm] / pulls[arm], 0.0), 1.0)
        t = last


@jit
def batch(phase, growth):
    """B_m, the pulls of an arm's m-th phase after its first pull."""
    grown = np.ceil(growth**phase) - np.ceil(growth ** (phase - 1.0))
    return np.int64(max(1.0, min(grown, 4.0e18)))


@jit
def kl_leader(mean, pulls, log_t, epsilon):
    """DP-KLUCB: argmax of max{y: d_eps(mean, y) <= ln t/n}, the first of equals."""
    arm, best = 0, -math.inf
    for j in range(len(mean)):
        bound = upper_bound_private(mean[j], log_t / pulls[j], epsilon)
        if bound > best:
            arm, best = j, bound
    return arm


@jit
def imed_leader(mean, pulls, epsilon):
    """DP-IMED: argmin of n d_eps(mean, best mean) + ln n, the first of equals."""
    best_mean = mean.max()
    arm, best = 0, math.inf
    for j in range(len(mean)):
        index = pulls[j] * divergence(mean[j], best_mean, epsilon) + math.log(pulls[j])
        if index < best:
            arm, best = j, index
    return arm


@jit
def divergence(x, y, epsilon):
    """d_eps(x, y): kl(x, y) while |d kl/dx| <= eps; linear in x for smaller x; 0 for x >= y."""
    if x >= y:
        return 0.0
    shrunk = 1.0 - y + y * math.exp(-epsilon)
    if y * math.exp(-epsilon) > x * shrunk:
        return -epsilon * x - math.log(shrunk)
    if y >= 1.0:
        return math.inf
    return -x * math.log(y) - (1.0 - x) * math.log1p(-y) - entropy(x)


@jit
def upper_bound_private(x, level, epsilon):
    """The logit of max{y: d_eps(x, y) <= level}."""
    if x >= 1.0:
        return math.inf
    if epsilon == math.inf:
        return upper_bound(x, level)
    if x > 0.0:
        edge = math.log(x) - math.log1p(-x) + epsilon  # logit of the y at which kl turns linear
        if kl_at(x, edge) >= level:
            return upper_bound(x, level)
    reach = level + epsilon * x  # then 1 - y (1 - e^-eps) = e^-reach
    if reach >= epsilon:
        return math.inf
    return math.log(-math.expm1(-reach)) + reach - math.log(-math.expm1(reach - epsilon))
