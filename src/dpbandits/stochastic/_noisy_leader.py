"""Follow a noisy leader over doubling epochs: what RNM-FTNL and the naive FTNL share.

Full information: epoch s has 2^s rounds, epoch 0 plays the first action, and epoch s + 1 plays
argmax_j (rewards of j in epoch s + Laplace noise): one Binomial per action and epoch.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, laplace
from dpbandits.stochastic._play import record


@jit
def simulate_epochs(means, gaps, noise, horizon, states, checkpoints):
    regret = np.zeros((len(states), len(checkpoints)))
    pulls = np.zeros((len(states), len(means)), np.int64)
    for run in range(len(states)):
        _one(means, gaps, noise, horizon, states[run], checkpoints, regret[run], pulls[run])
    return regret, pulls


@jit
def _one(means, gaps, noise, horizon, stream, checkpoints, regret, pulls):
    arm, t, at, lost, length = 0, 0, 0, 0.0, 1
    while t < horizon:
        last = min(t + length, horizon)
        at = record(t + 1, last, lost, gaps[arm], checkpoints, at, regret)
        lost += gaps[arm] * (last - t)
        pulls[arm] += last - t
        t = last
        if t < horizon:
            arm = noisy_leader(stream, means, length, noise)
        length *= 2


@jit
def noisy_leader(stream, means, length, noise):
    """argmax of Binomial(length, mean) + Lap(noise), the first of equals."""
    arm, best = 0, -math.inf
    for j in range(len(means)):
        total = binomial(stream, length, means[j]) + laplace(stream, noise)
        if total > best:
            arm, best = j, total
    return arm
