"""RNM-FTNL (HU Algorithm 4), its private variants and FTNL, epoch by epoch.

Round 1 (epoch 0) plays the first action, and an epoch plays argmax_j (rewards of j in the epoch
before + noise): one Binomial per action and epoch.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import binomial, exponential, laplace, uniform
from dpbandits.stochastic.engine.runs import record, simulate_runs
from dpbandits.stochastic.rnm_ftnl import EXPONENTIAL, LAPLACE, variant_of


def simulate(setting, epsilon, horizon, streams, checkpoints):
    variant = variant_of(setting.variant, epsilon)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, variant)


@jit
def one_run(bandit, results, stream, variant):
    arm, t = 0, 0
    size = variant.growth ** uniform(stream) if variant.phase else 1.0
    while t < bandit.horizon:
        length = np.int64(size)
        last = min(t + length, bandit.horizon)
        record(bandit, results, arm, t, last)
        t = last
        if t < bandit.horizon:
            half = length // 2 if variant.prefix else 0
            used = length - np.int64(uniform(stream) * half) if half > 0 else length
            arm = noisy_leader(stream, bandit.means, used, variant.noise, variant.scale)
        size *= variant.growth


@jit
def noisy_leader(stream, means, length, noise, scale):
    """argmax of Binomial(length, mean) + noise, the first of equals."""
    arm, best = 0, -math.inf
    for j in range(len(means)):
        total = np.float64(binomial(stream, length, means[j]))
        if noise == LAPLACE:
            total += laplace(stream, scale)
        elif noise == EXPONENTIAL:
            total += scale * exponential(stream)
        else:
            total -= scale * math.log(exponential(stream))
        if total > best:
            arm, best = j, total
    return arm
