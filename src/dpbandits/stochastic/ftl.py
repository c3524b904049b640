"""Follow-the-Leader (full information, not private), leaping while the lead cannot be lost.

A round changes the difference of two sums by at most 1. A leader that is m ahead is therefore
played in the next m + 1 rounds, whose rewards are one Binomial per action. Once the best action is
so far ahead that it ever loses its lead with a chance below 2^-64, less than the 53 bits of our
uniforms resolve, nothing is drawn any more.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.source import words_of
from dpbandits.stochastic.engine.kept_binomials import draw, room, row_of
from dpbandits.stochastic.engine.play import diary_of, play, run_all
from dpbandits.stochastic.problem import StochasticSetting

SHORT = 128  # rounds; the laws of what shorter leaps bring are kept


@algorithm("ftl", setting=StochasticSetting, source="Van Erven, Kotlowski and Warmuth 2014")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    sure, laws = sure_lead(setting.means), room((SHORT + 1) * len(setting.means))
    return run_all(_simulate, setting, horizon, streams, checkpoints, sure, laws)


@jit
def _simulate(world, diaries, states, sure, laws):
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]), sure, laws)


@jit
def _one(world, diary, stream, sure, laws):
    means, horizon, best = world.means, world.horizon, np.argmin(world.gaps)
    total = np.zeros(len(means), np.int64)
    t = 0
    while t < horizon:
        arm = np.argmax(total)
        safe = horizon
        for j in range(len(means)):
            if j != arm:  # an equal with a lower number would win the tie
                safe = min(safe, total[arm] - total[j] - (j < arm))
        last = horizon if arm == best and safe >= sure else min(t + safe + 1, horizon)
        play(world, diary, arm, t, last)
        if last == horizon:
            return
        row = min(last - t, SHORT) * len(means)
        first = row
        for j in range(len(means)):
            row = row_of(laws, first, last - t, means, j, row)
            total[j] += np.int64(draw(stream, laws, row))
        t = last


def sure_lead(means: tuple[float, ...]) -> float:
    """How far ahead of all others the best action never falls back: with a chance below 2^-64.

    A lead over one action moves up with chance p (1 - q), down with (1 - p) q; so it ever falls by
    m with the ratio's m-th power for a chance, the largest against the second best action.
    """
    second, best = sorted(means)[-2:]
    up, down = best * (1 - second), (1 - best) * second
    if best == second:
        return math.inf
    return (64 * math.log(2) + math.log(len(means))) / math.log(up / down) if down else 1.0
