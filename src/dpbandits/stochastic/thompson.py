"""Thompson sampling with Beta(1, 1) priors (HU Algorithm 2, not private), thinned.

As in `lazy_dp_ts`, a quiet round has the leader's draw above a level and all others below it. The
others' posteriors stay while the leader is played; the leader's lower tail is largest if all its
rewards in the block are 0, and blocks are short enough (about sqrt(n)/2 pulls) for this to cost
little. Quiet rounds' rewards are one Binomial draw.

From MANY pulls on, a block is as long as its rewards fall short of their mean by those of sqrt(n)/2
pulls with a chance below 2^-64, less than the 53 bits of our uniforms resolve (Hoeffding): some
n/158 pulls for a mean of 3/4, so that the number of blocks grows like ln T.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, exponential
from dpbandits.core.source import words_of
from dpbandits.stochastic.engine.beta_tails import (
    DECAY,
    HEIGHT,
    RATE,
    SHARE,
    beta,
    beta_above,
    beta_below,
    candidate_above,
    fill,
    keeps,
)
from dpbandits.stochastic.engine.play import diary_of, play, run_all
from dpbandits.stochastic.problem import StochasticSetting

MANY = 2**20
SHORTFALL = math.sqrt(32.0 * math.log(2.0))  # P(S_i < p i - SHORTFALL sqrt(s), some i <= s) < 2^-64


@algorithm("thompson", setting=StochasticSetting, source="HU Algorithm 2")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return run_all(_simulate, setting, horizon, streams, checkpoints)


@jit
def _simulate(world, diaries, states):
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]))


@jit
def _one(world, diary, stream):
    means, horizon = world.means, world.horizon
    good = np.zeros(len(means))  # successes of each arm
    bad = np.zeros(len(means))  # failures
    curves = np.empty((len(means), 4))
    t = 0
    while t < horizon:
        arm = np.argmax((good + 1.0) / (good + bad + 2.0))
        longest = min(horizon - t, 1 + np.int64(0.5 * math.sqrt(diary.pulls[arm])))
        level, total = _open_block(good, bad, arm, longest, curves)
        if diary.pulls[arm] >= MANY and _wanes(good[arm], bad[arm] + longest, means[arm], level):
            rounds = (longest * means[arm] / SHORTFALL) ** 2
            longest = max(longest, np.int64(min(rounds, horizon - t)))
        clock = exponential(stream)
        quiet = 0
        if total < math.inf:
            quiet = longest if clock >= longest * total else np.int64(clock / total)
        if quiet > 0:
            play(world, diary, arm, t, t + quiet)
            _learn(stream, arm, quiet, means, good, bad)
            t += quiet
        if quiet < longest:
            if total < math.inf:
                arm = _round(stream, good, bad, arm, level, curves, clock - quiet * total)
            else:
                arm = _plain_round(stream, good, bad)
            play(world, diary, arm, t, t + 1)
            _learn(stream, arm, 1, means, good, bad)
            t += 1


@jit
def _learn(stream, arm, count, means, good, bad):
    wins = binomial(stream, count, means[arm])
    good[arm] += wins
    bad[arm] += count - wins


@jit
def _open_block(good, bad, leader, length, curves):
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
            total += fill(curves, j, bad[j] + length, good[j], 1.0 - level, True)
        else:
            total += fill(curves, j, good[j], bad[j], level, True)
    return level, total if total < 0.7 else math.inf


@jit
def _wanes(k, n, p, level):
    """Whether p more successes and 1 - p more failures, however often, lower the density of
    Beta(k + 1, n + 1) all below the level, and so does a success in place of a failure.

    Derivatives of the log-density, with ln(y + 1/2) < psi(y + 1) < ln(y + 1). The first falls in
    the number of pulls (Cauchy-Schwarz) and grows in x up to p.
    """
    if level >= p or level * (n + 1.0) > (1.0 - level) * (k + 0.5):
        return False
    success = math.log(level * (k + n + 2.0) / (k + 0.5))
    failure = math.log((1.0 - level) * (k + n + 2.0) / (n + 0.5))
    return p * success + (1.0 - p) * failure <= 0.0


@jit
def _moments(k, n):
    """Mean and standard deviation of Beta(k + 1, n + 1)."""
    mean = (k + 1.0) / (k + n + 2.0)
    return mean, math.sqrt(mean * (1.0 - mean) / (k + n + 3.0))


@jit
def _plain_round(stream, good, bad):
    arm, best = 0, -1.0
    for j in range(len(good)):
        theta = beta(stream, good[j], bad[j])
        if theta > best:
            arm, best = j, theta
    return arm


@jit
def _round(stream, good, bad, leader, level, curves, clock):
    """A round with a candidate at distance `clock` from its start (see `lazy_dp_ts`)."""
    arm, best, high, place = -1, -1.0, True, 0.0
    for j in range(len(good)):
        rate = curves[j, RATE]
        theta = -1.0
        if clock < place + rate:
            clock = place + rate + exponential(stream)
            k, n = (bad[j], good[j]) if j == leader else (good[j], bad[j])
            start = 1.0 - level if j == leader else level
            x = candidate_above(stream, start, curves[j, DECAY], curves[j, SHARE])
            if keeps(stream, x, k, n, curves[j, HEIGHT], start, curves[j, DECAY]):
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
