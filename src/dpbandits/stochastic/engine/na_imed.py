"""NA-IMED, our own (see ../na_imed.py), by batches: one Binomial and one Laplace variable each.

A posterior mode is found by the Illinois method (regula falsi) on mu (1 - mu) L'(mu), which is
bounded; likelihoods at the best mode are computed again only where it or the arm's data changed.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, laplace
from dpbandits.stochastic import noisy_sums
from dpbandits.stochastic.engine.runs import record, simulate_runs
from dpbandits.stochastic.na_imed import GROWTH, SHARPEST, first_batch, offset

log_below, f = jit(noisy_sums.log_below), jit(offset)
MOST = 64  # of an arm's releases, to begin with


def simulate(setting, epsilon, horizon, streams, checkpoints):
    first = first_batch(epsilon, len(setting.means), horizon)
    parameters = (1 / epsilon, min(epsilon, SHARPEST), first)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, *parameters)


@jit
def one_run(bandit, results, stream, noise, eps, first):
    """`noise` is the Laplace scale 1/epsilon."""
    arms, pulls = len(bandit.means), results.pulls
    sums, sizes = np.empty((arms, MOST)), np.empty((arms, MOST), np.int64)
    count = np.zeros(arms, np.int64)  # releases of each arm
    top, highest, at_best = np.full(arms, 0.5), np.empty(arms), np.empty(arms)
    best, arm, t = -1.0, 0, 0
    while t < bandit.horizon:
        if t > 0:
            arm = 0
            while arm < arms and count[arm] > 0:
                arm += 1
            if arm == arms:
                index = np.array([f(d) for d in highest - at_best]) + np.log(pulls)
                arm = np.argmin(np.round(index, 9))
        size = max(first, np.int64(math.ceil((GROWTH - 1.0) * pulls[arm])))
        last = min(t + size, bandit.horizon)
        record(bandit, results, arm, t, last)
        t = last
        if t == bandit.horizon:
            break
        at = count[arm]
        if at == sums.shape[1]:
            sums, sizes = longer(sums), longer(sizes)
        sums[arm, at] = binomial(stream, size, bandit.means[arm]) + laplace(stream, noise)
        sizes[arm, at] = size
        count[arm] += 1
        top[arm] = mode(sums[arm, : at + 1], sizes[arm, : at + 1], top[arm], eps)
        highest[arm] = likelihood(sums[arm, : at + 1], sizes[arm, : at + 1], top[arm], eps)
        before, best = best, top[count > 0].max()
        for j in range(arms):
            if count[j] > 0 and (j == arm or best != before):
                at_best[j] = highest[j]
                if top[j] < best:
                    at_best[j] = likelihood(sums[j, : count[j]], sizes[j, : count[j]], best, eps)


@jit
def longer(table):
    more = np.empty((table.shape[0], 2 * table.shape[1]), table.dtype)
    more[:, : table.shape[1]] = table
    return more


@jit
def mode(sums, sizes, start, eps):
    """argmax of L: the root of mu (1 - mu) L'(mu), which is 1/2 at 0 and -1/2 at 1."""
    low, high, at_low, at_high = 0.0, 1.0, 0.5, -0.5
    mu, side = start, 0
    for _ in range(200):
        slope = 0.5 - mu
        for j in range(len(sums)):
            slope += tilted_slope(sums[j], sizes[j], mu, eps)
        if slope == 0.0:
            return mu
        if slope > 0.0:
            low, at_low = mu, slope
            if side == 1:
                at_high *= 0.5
            side = 1
        else:
            high, at_high = mu, slope
            if side == -1:
                at_low *= 0.5
            side = -1
        if high - low <= 1e-15 * high:
            break
        mu = (low * -at_high + high * at_low) / (at_low - at_high)
        if not low < mu < high:
            mu = 0.5 * (low + high)
    return 0.5 * (low + high)


@jit
def tilted_slope(R, b, mu, eps):
    """mu (1 - mu) times the derivative of the log-density, E(S - b mu | R): by the masses above
    and below floor(R), each tilted by e^(eps S)."""
    k, n = np.int64(math.floor(R)), b - 1
    if k < 0 or k > n:
        grown = math.expm1(-eps if k < 0 else eps)
    else:
        x, odds = R - k, mu / (1.0 - mu)
        below = log_below(k, n, odds * math.exp(eps))
        above = log_below(n - k, n, math.exp(eps) / odds)
        most = max(below, above, 0.0)
        A, B, one = math.exp(below - most), math.exp(above - most), math.exp(-most)
        up, down = math.exp(-eps * x), math.exp(eps * x)
        more = up * A * math.expm1(eps) + up * (math.exp(eps * (2.0 * x - 1.0)) - 1.0) * one
        grown = (more + down * B * math.expm1(-eps)) / (up * (one + A) + down * B)
    return b * grown * mu * (1.0 - mu) / (1.0 + mu * grown)


@jit
def likelihood(sums, sizes, mu, eps):
    """L(mu), up to a constant."""
    total, odds = 0.5 * math.log(mu * (1.0 - mu)), mu / (1.0 - mu)
    for j in range(len(sums)):
        R, b = sums[j], sizes[j]
        k = np.int64(math.floor(R))
        if k < 0:
            total += b * math.log1p(mu * math.expm1(-eps))
        elif k > b:
            total += b * math.log1p(mu * math.expm1(eps))
        else:
            x = R - k
            below = log_below(k, b, odds * math.exp(eps)) - eps * x
            above = log_below(b - k, b, math.exp(eps) / odds) + eps * x
            most = max(below, above, -eps * x)
            parts = math.exp(below - most) + math.exp(above - most) + math.exp(-eps * x - most)
            counts = math.lgamma(b + 1.0) - math.lgamma(k + 1.0) - math.lgamma(b - k + 1.0)
            total += counts + k * math.log(mu) + (b - k) * math.log1p(-mu)
            total += most + math.log(parts)
    return total
