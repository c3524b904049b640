"""Thompson sampling with Beta(1, 1) priors (HU Algorithm 2, not private), thinned.

As in `lazy_dp_ts`, a quiet round has the leader's draw above a level and all others below it. The
others' posteriors stay while the leader is played; the leader's lower tail is largest if all its
rewards in the block are 0, and blocks are short enough (about sqrt(n)/2 pulls) for this to cost
little. Quiet rounds' rewards are one Binomial draw.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, exponential
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.engine.beta_tails import (
    beta,
    beta_above,
    beta_below,
    candidate_above,
    decay_above,
    keeps,
    log_density,
    mass_above,
)
from dpbandits.stochastic.engine.play import record
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("thompson", setting=StochasticSetting, source="HU Algorithm 2")
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
    good = np.zeros(len(means))  # successes of each arm
    bad = np.zeros(len(means))  # failures
    block = np.empty((len(means), 3))  # curves: log-height, decay, rate
    t, at, lost = 0, 0, 0.0
    while t < horizon:
        arm = np.argmax((good + 1.0) / (good + bad + 2.0))
        longest = min(horizon - t, 1 + np.int64(0.5 * math.sqrt(pulls[arm])))
        level, total = _open_block(good, bad, arm, longest, block)
        clock = exponential(stream)
        quiet = 0
        if total < math.inf:
            quiet = longest if clock >= longest * total else np.int64(clock / total)
        if quiet > 0:
            at = record(t + 1, t + quiet, lost, gaps[arm], checkpoints, at, regret)
            _play(stream, arm, quiet, means, good, bad, pulls)
            lost += gaps[arm] * quiet
            t += quiet
        if quiet < longest:
            if total < math.inf:
                arm = _round(stream, good, bad, arm, level, block, clock - quiet * total)
            else:
                arm = _plain_round(stream, good, bad)
            t += 1
            at = record(t, t, lost, gaps[arm], checkpoints, at, regret)
            _play(stream, arm, 1, means, good, bad, pulls)
            lost += gaps[arm]


@jit
def _play(stream, arm, count, means, good, bad, pulls):
    wins = binomial(stream, count, means[arm])
    pulls[arm] += count
    good[arm] += wins
    bad[arm] += count - wins


@jit
def _open_block(good, bad, leader, length, block):
    """The level and the total rate of candidates (inf: draw every arm in every round)."""
    centre, spread = _moments(good[leader], bad[leader] + length)
    level = 0.0
    for j in range(len(good)):
        if j != leader:
            other, wide = _moments(good[j], bad[j])
            level = max(level, (centre * wide + other * spread) / (wide + spread))
    total = 0.0
    if level >= centre:  # below the mean of every posterior of the block, the worst one dominates
        return level, math.inf
    for j in range(len(good)):
        if j == leader:
            total += _fill(block[j], bad[j] + length, good[j], 1.0 - level)
        else:
            total += _fill(block[j], good[j], bad[j], level)
    return level, total if total < 0.7 else math.inf


@jit
def _moments(k, n):
    """Mean and standard deviation of Beta(k + 1, n + 1)."""
    mean = (k + 1.0) / (k + n + 2.0)
    return mean, math.sqrt(mean * (1.0 - mean) / (k + n + 3.0))


@jit
def _fill(row, k, n, level):
    row[1] = decay_above(k, n, level)
    row[2] = math.inf
    if row[1] > 0.0:
        row[0] = log_density(level, k, n)
        mass = mass_above(row[0], level, row[1])
        if mass < 0.5:
            row[2] = -math.log1p(-mass)
    return row[2]


@jit
def _plain_round(stream, good, bad):
    arm, best = 0, -1.0
    for j in range(len(good)):
        theta = beta(stream, good[j], bad[j])
        if theta > best:
            arm, best = j, theta
    return arm


@jit
def _round(stream, good, bad, leader, level, block, clock):
    """A round with a candidate at distance `clock` from its start (see `lazy_dp_ts`)."""
    arm, best, high, place = -1, -1.0, True, 0.0
    for j in range(len(good)):
        rate = block[j, 2]
        theta = -1.0
        if clock < place + rate:
            clock = place + rate + exponential(stream)
            k, n = (bad[j], good[j]) if j == leader else (good[j], bad[j])
            start = 1.0 - level if j == leader else level
            x = candidate_above(stream, start, block[j, 1])
            if keeps(stream, x, k, n, block[j, 0], start, block[j, 1]):
                theta = 1.0 - x if j == leader else x
                high = high and j != leader
        place += rate
        if theta > best:
            arm, best = j, theta
    if high:
        if best <= level:
            return leader
        return leader if beta_above(stream, good[leader], bad[leader], level) > best else arm
    if best <= level:  # only the leader's draw is known
        for j in range(len(good)):
            if j != leader:
                theta = beta_below(stream, good[j], bad[j], level)
                if theta > best:
                    arm, best = j, theta
    return arm
