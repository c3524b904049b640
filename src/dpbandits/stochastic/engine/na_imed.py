"""NA-IMED, our own (see ../na_imed.py), by batches: one Binomial and one Laplace variable each.

The likelihood is that of ../noisy_sums.py, compiled; at the best mode it is computed again only
where that mode or the arm's data changed.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit, jit_with
from dpbandits.core.noise import binomial, laplace
from dpbandits.stochastic import noisy_sums
from dpbandits.stochastic.engine.runs import record, simulate_runs
from dpbandits.stochastic.na_imed import GROWTH, SHARPEST, first_batch, offset

f, log_below = jit(offset), jit(noisy_sums.log_below)
log_density = jit_with(noisy_sums.log_density, log_below=log_below)
slope = jit_with(noisy_sums.slope, log_below=log_below)
log_posterior = jit_with(noisy_sums.log_posterior, log_density=log_density)
most_likely = jit_with(noisy_sums.most_likely, slope=slope)
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
        top[arm] = most_likely(sums[arm, : at + 1], sizes[arm, : at + 1], top[arm], eps)
        highest[arm] = log_posterior(sums[arm, : at + 1], sizes[arm, : at + 1], top[arm], eps)
        before, best = best, top[count > 0].max()
        for j in range(arms):
            if count[j] > 0 and (j == arm or best != before):
                at_best[j] = highest[j]
                if top[j] < best:
                    at_best[j] = log_posterior(sums[j, : count[j]], sizes[j, : count[j]], best, eps)


@jit
def longer(table):
    more = np.empty((table.shape[0], 2 * table.shape[1]), table.dtype)
    more[:, : table.shape[1]] = table
    return more
