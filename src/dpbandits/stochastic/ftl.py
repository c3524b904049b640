"""Follow-the-Leader (full information, not private), leaping while the lead cannot be lost.

A round changes the difference of two sums by at most 1. A leader that is m ahead is therefore
played in the next m + 1 rounds, whose rewards are one Binomial per action; leads grow like the
gap times t, so the number of leaps grows like ln T.
"""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.engine.play import record
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("ftl", setting=StochasticSetting, source="Van Erven, Kotlowski and Warmuth 2014")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret, pulls = _simulate(
        np.array(setting.means), setting.gaps, horizon, streams.states(), checkpoints
    )
    return Trajectories(regret, extras={"pulls": pulls})


@jit
def _simulate(means, gaps, horizon, states, checkpoints):
    regret = np.zeros((len(states), len(checkpoints)))
    pulls = np.zeros((len(states), len(means)), np.int64)
    for run in range(len(states)):
        _one(means, gaps, horizon, states[run], checkpoints, regret[run], pulls[run])
    return regret, pulls


@jit
def _one(means, gaps, horizon, stream, checkpoints, regret, pulls):
    total = np.zeros(len(means), np.int64)
    t, at, lost = 0, 0, 0.0
    while t < horizon:
        arm = np.argmax(total)
        safe = horizon
        for j in range(len(means)):
            if j != arm:  # an equal with a lower number would win the tie
                safe = min(safe, total[arm] - total[j] - (j < arm))
        last = min(t + safe + 1, horizon)
        at = record(t + 1, last, lost, gaps[arm], checkpoints, at, regret)
        lost += gaps[arm] * (last - t)
        pulls[arm] += last - t
        for j in range(len(means)):
            total[j] += binomial(stream, last - t, means[j])
        t = last
