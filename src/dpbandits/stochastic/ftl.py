"""Follow-the-Leader (full information, not private), leaping while the lead cannot be lost.

A round changes the difference of two sums by at most 1. A leader that is m ahead is therefore
played in the next m + 1 rounds, whose rewards are one Binomial per action; leads grow like the
gap times t, so the number of leaps grows like ln T.
"""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial
from dpbandits.core.source import words_of
from dpbandits.stochastic.engine.play import diary_of, play, run_all
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("ftl", setting=StochasticSetting, source="Van Erven, Kotlowski and Warmuth 2014")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return run_all(_simulate, setting, horizon, streams, checkpoints)


@jit
def _simulate(world, diaries, states):
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]))


@jit
def _one(world, diary, stream):
    means, horizon = world.means, world.horizon
    total = np.zeros(len(means), np.int64)
    t = 0
    while t < horizon:
        arm = np.argmax(total)
        safe = horizon
        for j in range(len(means)):
            if j != arm:  # an equal with a lower number would win the tie
                safe = min(safe, total[arm] - total[j] - (j < arm))
        last = min(t + safe + 1, horizon)
        play(world, diary, arm, t, last)
        for j in range(len(means)):
            total[j] += binomial(stream, last - t, means[j])
        t = last
