"""Anytime-Lazy-UCB (HU Algorithm 1), leaping from decision to decision.

Between two ends of epochs an index mean + sqrt(3 ln t/O) + 3 ln t/(eps O) moves only with ln t, and
an arm with fewer observations O rises faster at every t. So the leader can only be overtaken by an
arm with a smaller O, and if it still leads at the last round of a stretch, it led in all of it.
Else the crossing is the root of a quadratic in sqrt(3 ln t), and the index itself settles which
integer round comes last. An epoch's rewards are one Binomial draw.
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

MEAN, WIDE, PRIVATE = 0, 1, 2  # columns: index = mean + wide sqrt(3 ln t) + private 3 ln t


@algorithm(
    "anytime-lazy-ucb",
    setting=StochasticSetting,
    source="HU Algorithm 1",
    claim="HU-T2",
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return run_all(_simulate, setting, horizon, streams, checkpoints, 1 / epsilon)


@jit
def _simulate(world, diaries, states, noise):
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]), noise)


@jit
def _one(world, diary, stream, noise):
    """One run; `noise` is the Laplace scale 1/epsilon."""
    means, horizon, arms = world.means, world.horizon, len(world.means)
    used = np.ones(arms, np.int64)  # O_j, observations behind the private mean
    fresh = np.zeros(arms, np.int64)  # N_j
    index = np.empty((arms, 3))
    t = 0
    while t < horizon:
        if t < arms:
            arm, last = t, t + 1
        else:
            arm = leader(index, t + 1)
            last = min(t + 2 * used[arm] - fresh[arm], horizon)
            last = last_round(index, arm, t + 1, last)
        play(world, diary, arm, t, last)
        if t < arms:
            _learn(index, arm, 1, binomial(stream, 1, means[arm]) + laplace(stream, noise), noise)
        else:
            fresh[arm] += last - t
            if fresh[arm] == 2 * used[arm]:
                used[arm], fresh[arm] = fresh[arm], 0
                total = binomial(stream, used[arm], means[arm]) + laplace(stream, noise)
                _learn(index, arm, used[arm], total, noise)
        t = last


@jit
def _learn(index, arm, used, total, noise):
    index[arm, MEAN] = total / used
    index[arm, WIDE] = 1.0 / math.sqrt(used)
    index[arm, PRIVATE] = noise / used


@jit
def leader(index, t):
    """The arm with the largest index in round t, the first of equals."""
    linear = 3.0 * math.log(t)
    root = math.sqrt(linear)
    arm, best = 0, -math.inf
    for j in range(len(index)):
        value = index[j, MEAN] + index[j, WIDE] * root + index[j, PRIVATE] * linear
        if value > best:
            arm, best = j, value
    return arm


@jit
def last_round(index, arm, first, last):
    """The last round up to `last` in which `arm`, the leader of round `first`, still leads."""
    if last <= first or leader(index, last) == arm:
        return last
    low, high = first, last  # leads at low, does not lead at high
    guess = _crossing(index, arm, last)
    step = 1
    while high - low > 1:
        probe = min(max(guess, low + 1), high - 1)
        if leader(index, probe) == arm:
            low, guess = probe, probe + step
        else:
            high, guess = probe, probe - step
        step *= 2
        if step > 8:  # rounding moved the root by a few rounds at most: from here on bisect
            guess = (low + high) // 2
    return low


@jit
def _crossing(index, arm, last):
    """The first real time at which another arm reaches the leader's index, rounded down."""
    earliest = math.inf
    for j in range(len(index)):
        wide = index[j, WIDE] - index[arm, WIDE]
        if wide > 0.0:
            lead = index[arm, MEAN] - index[j, MEAN]
            linear = index[j, PRIVATE] - index[arm, PRIVATE]
            root = 2.0 * lead / (wide + math.sqrt(max(0.0, wide * wide + 4.0 * linear * lead)))
            earliest = min(earliest, root)
    return np.int64(math.exp(min(earliest * earliest / 3.0, math.log(last))))
