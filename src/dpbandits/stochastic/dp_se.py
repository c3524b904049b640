"""DP-SE, private successive elimination (Sajed and Sheffet 2019), one Binomial per arm and epoch.

Constants after two independent implementations that agree; beta = 1/T. The arms of an epoch are
pulled in turn, which the regret at a checkpoint inside an epoch takes into account.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, laplace
from dpbandits.core.notions import PURE
from dpbandits.core.source import words_of
from dpbandits.stochastic.engine.play import diary_of, play, run_all
from dpbandits.stochastic.problem import StochasticSetting


@algorithm(
    "dp-se",
    setting=StochasticSetting,
    source="Sajed and Sheffet 2019",
    claim="assumed: proved in docs/proofs/HU.md, Section 5",
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return run_all(_simulate, setting, horizon, streams, checkpoints, 1 / epsilon)


@jit
def _simulate(world, diaries, states, noise):
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]), noise)


@jit
def epoch_length(alive, epoch, beta, noise):
    """R_e: enough pulls of each of `alive` arms to see a gap of 2^-epoch."""
    gap = 2.0**-epoch
    sampling = 32.0 * math.log(8.0 * alive * epoch**2 / beta) / gap**2
    privacy = 8.0 * math.log(4.0 * alive * epoch**2 / beta) * noise / gap
    return max(sampling, privacy) + 1.0


@jit
def _one(world, diary, stream, noise):
    means, gaps, horizon, pulls = world.means, world.gaps, world.horizon, diary.pulls
    alive = np.arange(len(means))
    estimate = np.empty(len(means))
    t, epoch, lost = 0, 0, 0.0
    while len(alive) > 1 and t < horizon:
        epoch += 1
        length = epoch_length(len(alive), epoch, 1.0 / horizon, noise)
        cycles = np.int64(math.ceil(min(length, 4.0e18 / len(alive))))
        rounds = min(cycles * len(alive), horizon - t)
        _play_in_turn(world, diary, alive, t, rounds)
        for position, arm in enumerate(alive):
            count = rounds // len(alive) + (position < rounds % len(alive))
            pulls[arm] += count
            lost += gaps[arm] * count
            if rounds == cycles * len(alive):
                total = binomial(stream, cycles, means[arm]) + laplace(stream, noise)
                estimate[arm] = total / cycles
        diary.lost[0] = lost
        if rounds == cycles * len(alive):
            alive = _survivors(alive, estimate, length, epoch, horizon, noise)
        t += rounds
    if t < horizon:
        play(world, diary, alive[0], t, horizon)


@jit
def _survivors(alive, estimate, length, epoch, horizon, noise):
    sampling = math.sqrt(math.log(8.0 * len(alive) * epoch**2 * horizon) / (2.0 * length))
    privacy = math.log(4.0 * len(alive) * epoch**2 * horizon) * noise / length
    best = estimate[alive].max()
    return alive[best - estimate[alive] <= 2.0 * sampling + 2.0 * privacy]


@jit
def _play_in_turn(world, diary, alive, t, rounds):
    """The checkpoints in rounds t + 1..t + rounds, which go through the arms in turn."""
    arms, gaps, checkpoints = len(alive), world.gaps, world.checkpoints
    lost, at, regret = diary.lost[0], diary.next[0], diary.regret
    cycle = gaps[alive].sum()
    while at < len(checkpoints) and checkpoints[at] <= t + rounds:
        done = checkpoints[at] - t
        regret[at] = lost + (done // arms) * cycle + gaps[alive[: done % arms]].sum()
        at += 1
    diary.next[0] = at
