"""Lazy-DP-TS (HU Algorithm 3), skipping quiet stretches by thinning.

Rounds are grouped in blocks in which no epoch ends and ln t moves little. The Beta parameters move
one way with ln t, so that the laws of a block's first and last rounds bound all others (see
`thinning` for what happens in a block). An epoch's rewards are one Binomial draw.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import inlined, jit
from dpbandits.core.variates import exponential
from dpbandits.stochastic.engine.beta_tails import (
    ALWAYS,
    dominates_smaller_means,
    new_curves,
    set_curve,
)
from dpbandits.stochastic.engine.runs import private_mean, record, simulate_runs
from dpbandits.stochastic.engine.thinning import Block, Posteriors, level_between, play_round

BLOCK = 24  # a block is at most t/BLOCK rounds long
# The level is lowered by this many standard deviations of the leader, because a leader's sample
# below it forces a draw of every arm.
LOWER = 0.75
BUSY = 1.2  # candidates per round from which a block is busy


class Arms(NamedTuple):
    mean: np.ndarray  # mu~_j
    used: np.ndarray  # O_j
    fresh: np.ndarray  # N_j
    noise: float  # the Laplace scale 1/eps, the same for all


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, 1 / epsilon)


@jit
def one_run(bandit, results, stream, noise):
    horizon, count = bandit.horizon, len(bandit.means)
    zeros = np.zeros(count, np.int64)
    arms = Arms(np.empty(count), zeros, zeros.copy(), noise)
    curves, posteriors = new_curves(count), Posteriors(np.empty(count), np.empty(count))
    t = min(count, horizon)
    for arm in range(t):
        record(bandit, results, arm, arm, arm + 1)
        arms.fresh[arm] = 1
        _end_epoch(bandit, arms, arm, stream)
    while t < horizon:
        last = min(horizon, t + max(1, t // BLOCK))
        block = open_block(arms, t + 1, last, curves)
        distance = exponential(stream)  # to the next candidate
        epoch_ends = False
        while t < last and not epoch_ends:
            arm, rounds = block.leader, 0
            if not block.busy:
                rounds = min(last - t, 2 * arms.used[arm] - arms.fresh[arm])
                if distance < rounds * block.rate:
                    rounds = min(rounds, np.int64(distance / block.rate))
                distance -= rounds * block.rate
            if rounds == 0:
                set_posteriors(posteriors, arms, t + 1)
                arm, distance = play_round(stream, posteriors, block, distance)
                rounds = 1
            record(bandit, results, arm, t, t + rounds)
            t += rounds
            arms.fresh[arm] += rounds
            epoch_ends = arms.fresh[arm] == 2 * arms.used[arm]
            if epoch_ends:
                _end_epoch(bandit, arms, arm, stream)


@jit
def _end_epoch(bandit, arms, arm, stream):
    """Replace the arm's private mean by that of its fresh rewards."""
    arms.used[arm], arms.fresh[arm] = arms.fresh[arm], 0
    arms.mean[arm] = private_mean(stream, arms.used[arm], bandit.means[arm], arms.noise)


@inlined
def set_posteriors(posteriors, arms, t):
    """Line 4 of Algorithm 3 in round t: the Beta parameters of all arms."""
    bonus = 3.0 * math.log(t) * arms.noise
    for j in range(len(arms.mean)):
        centre = min(max(arms.mean[j] + bonus / arms.used[j], 0.0), 1.0)
        posteriors.k[j] = centre * arms.used[j]
        posteriors.n[j] = arms.used[j] - posteriors.k[j]


@jit
def centres(arms, t):
    """clip(private mean + 3 ln t/(eps O)) of all arms."""
    bonus = 3.0 * math.log(t) * arms.noise
    return np.minimum(np.maximum(arms.mean + bonus / arms.used, 0.0), 1.0)


@jit
def open_block(arms, first, last, curves):
    """Choose leader and level for rounds first..last, and fill the curves.

    A curve covers the arm's laws above the level in all rounds of the block (for the leader: the
    laws of 1 - theta above 1 - level).
    """
    early, centre, used = centres(arms, first), centres(arms, last), arms.used
    leader = 0
    for j in range(1, len(early)):
        tied = early[j] == early[leader] and used[j] > used[leader]
        if early[j] > early[leader] or tied:
            leader = j
    centre[leader] = early[leader]  # its lowest one, because centres rise with t
    # about one standard deviation of Beta(centre used + 1, (1 - centre) used + 1)
    deviation = np.sqrt((centre * (1.0 - centre) + 1.0 / (used + 2.0)) / (used + 3.0))
    level, rate = level_between(centre, deviation, leader) - LOWER * deviation[leader], 0.0
    for j in range(len(centre)):
        if j == leader:
            rate += _fill(curves, j, 1.0 - centre[j], used[j], 1.0 - level)
        else:
            rate += _fill(curves, j, centre[j], used[j], level)
    if rate < BUSY:
        return Block(leader, level, False, rate, curves)
    level, rate = centre[leader] - 2.0 * deviation[leader], 0.0
    curves.rate[leader] = ALWAYS
    for j in range(len(centre)):
        if j != leader:
            arm_rate = _fill(curves, j, centre[j], used[j], level)
            rate += arm_rate if arm_rate < ALWAYS else 0.0
    return Block(leader, level, True, rate, curves)


@jit
def _fill(curves, j, centre, used, level):
    """Set arm j's curve above `level` for its stochastically largest posterior in the block.

    Returns its rate (ALWAYS: sample it in every round).
    """
    k = centre * used
    if dominates_smaller_means(k, used - k, level):
        return set_curve(curves, j, k, used - k, level)
    curves.rate[j] = ALWAYS
    return ALWAYS
