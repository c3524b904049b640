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
    """DP-IMED if `imed`, else DP-KLUCB."""
    arms, pulls = len(bandit.means), results.pulls
    phase = np.zeros(arms, np.int64)
    total = np.zeros(arms)  # private sum of all pulls
    mean = np.empty(arms)  # clipped private mean
    t = 0
    while t < bandit.horizon:
        if t < arms:
            arm, count = t, 1
        else:
            arm = imed_leader(mean, pulls, epsilon) if imed else kl_leader(mean, pulls, t, epsilon)
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
def kl_leader(mean, pulls, t, epsilon):
    """DP-KLUCB after t rounds: argmax of max{y: d_eps(mean, y) <= ln(t + 1)/n}."""
    bounds = np.empty(len(mean))
    for j in range(len(mean)):
        bounds[j] = upper_bound_private(mean[j], math.log(t + 1) / pulls[j], epsilon)
    return np.argmax(bounds)


@jit
def imed_leader(mean, pulls, epsilon):
    """DP-IMED: argmin of n d_eps(mean, best mean) + ln n."""
    indices, best = np.empty(len(mean)), mean.max()
    for j in range(len(mean)):
        indices[j] = pulls[j] * divergence(mean[j], best, epsilon) + math.log(pulls[j])
    return np.argmin(indices)


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
