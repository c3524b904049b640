"""Lazy-DP-TS (HU Algorithm 3), skipping quiet stretches by thinning.

Within a block of rounds (no epoch ends, ln t moves little) we pick a level y. In a quiet round the
leader's draw is above y and all others are below: the leader is played, nothing else matters. The
rounds that may differ are found exactly: every arm has a curve over the tail where it could break
the quiet (`_beta_tails`), valid for all rounds of the block because the Beta parameters move one
way with ln t, and candidates under the curves form a Poisson process on the line of
(round, arm). In busy blocks the few arms that often matter are drawn every round, and only the
others are thinned. An epoch's rewards are one Binomial draw.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, exponential, laplace
from dpbandits.core.notions import PURE
from dpbandits.core.source import inlined, words_of
from dpbandits.stochastic.engine.beta_tails import (
    ALWAYS,
    DECAY,
    HEIGHT,
    RATE,
    SHARE,
    beta,
    beta_above,
    beta_below,
    candidate_above,
    dominates_smaller_means,
    fill,
    keeps,
)
from dpbandits.stochastic.engine.leap import leap
from dpbandits.stochastic.engine.play import diary_of, play, run_all
from dpbandits.stochastic.problem import StochasticSetting

BLOCK = 24  # a block is at most t/BLOCK rounds long
LOWER = 0.75  # spreads below the even level: a leader below it costs a draw of every arm
BUSY = 1.2  # candidates per round from which a block counts as busy
FAR = 2**20  # leaps from here on, over FAR/128 rounds that are not quiet; walking there is quick


@algorithm(
    "lazy-dp-ts", setting=StochasticSetting, source="HU Algorithm 3", claim="HU-T4", notion=PURE
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    given = _simulate, setting, horizon, streams, checkpoints, 1 / epsilon, FAR
    try:
        return run_all(*given, None)
    except StillTied:  # most never are: only now `leap` is compiled
        return run_all(*given, True)


class StillTied(Exception):
    """A run without leaps has come to a block that is better leapt over."""


@jit
def _simulate(world, diaries, states, noise, far, leaps):
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]), noise, far, leaps)


@jit
def _one(world, diary, stream, noise, far, leaps):
    means, horizon, arms = world.means, world.horizon, len(world.means)
    used = np.zeros(arms, np.int64)  # O_j
    fresh = np.zeros(arms, np.int64)  # N_j
    mean = np.empty(arms)  # private mean
    t = min(arms, horizon)
    for arm in range(t):
        play(world, diary, arm, arm, arm + 1)
        used[arm] = 1
        mean[arm] = binomial(stream, 1, means[arm]) + laplace(stream, noise)
    curves = np.empty((arms, 4))
    while t < horizon:
        end = min(horizon, t + max(1, t // BLOCK))
        leader, level, busy, total = _open_block(mean, used, noise, t + 1, end, curves)
        arm, ends = leader, False  # `ends`: the epoch of `arm`
        if t >= far and (end - t) * (1.0 if busy else total) > far / 128:
            if leaps is None:
                raise StillTied
            t, arm, ends = leap(world, diary, stream, mean, used, fresh, noise, t, end)
        clock = exponential(stream)  # distance to the next candidate on the line
        while t < end and not ends:
            if not busy:
                quiet = min(end - t, 2 * used[leader] - fresh[leader])
                if clock < quiet * total:
                    quiet = min(quiet, np.int64(clock / total))
                if quiet > 0:
                    clock -= quiet * total
                    play(world, diary, leader, t, t + quiet)
                    t, fresh[leader] = t + quiet, fresh[leader] + quiet
                    arm, ends = leader, fresh[leader] == 2 * used[leader]
            if t < end and not ends:
                t += 1
                arm, clock = _round(
                    stream, mean, used, noise, t, leader, level, busy, curves, total, clock
                )
                play(world, diary, arm, t - 1, t)
                fresh[arm] += 1
                ends = fresh[arm] == 2 * used[arm]
        if ends:
            used[arm], fresh[arm] = fresh[arm], 0
            sum_ = binomial(stream, used[arm], means[arm]) + laplace(stream, noise)
            mean[arm] = sum_ / used[arm]


@jit
def _centre(mean, used, bonus):
    """clip(private mean + 3 ln t/(eps O)), with bonus = 3 ln t/eps."""
    return min(max(mean + bonus / used, 0.0), 1.0)


@jit
def _open_block(mean, used, noise, first, last, curves):
    """Leader, level, if it is busy, candidates per round, and curves, for rounds first..last.

    A curve covers the arm's laws above the level in all rounds of the block (for the leader: the
    laws of 1 - theta above 1 - level).
    """
    arms = len(mean)
    early, late = 3.0 * math.log(first) * noise, 3.0 * math.log(last) * noise
    leader, best = 0, -1.0
    for j in range(arms):
        centre = _centre(mean[j], used[j], early)
        if centre > best or (centre == best and used[j] > used[leader]):
            leader, best = j, centre
    spread = _spread(best, used[leader])
    level = 0.0
    for j in range(arms):
        if j != leader:
            centre = _centre(mean[j], used[j], late)
            wide = _spread(centre, used[j])
            level = max(level, (best * wide + centre * spread) / (wide + spread))
    level -= LOWER * spread
    total = 0.0
    for j in range(arms):
        centre = 1.0 - best if j == leader else _centre(mean[j], used[j], late)
        start = 1.0 - level if j == leader else level
        total += _fill(curves, j, centre, used[j], start)
    if total < BUSY:
        return leader, level, False, total
    level, total = best - 2.0 * spread, 0.0
    curves[leader, RATE] = ALWAYS
    for j in range(arms):
        if j != leader:
            rate = _fill(curves, j, _centre(mean[j], used[j], late), used[j], level)
            total += rate if rate < ALWAYS else 0.0
    return leader, level, True, total


@jit
def _spread(centre, used):
    """About one standard deviation of Beta(centre used + 1, (1 - centre) used + 1)."""
    return math.sqrt((centre * (1.0 - centre) + 1.0 / (used + 2.0)) / (used + 3.0))


@jit
def _fill(curves, j, centre, used, level):
    """The curve above `level` of an arm's largest law; ALWAYS if it has none that is of use."""
    k = centre * used
    return fill(curves, j, k, used - k, level, dominates_smaller_means(k, used - k, level))


@inlined
def _round(stream, mean, used, noise, t, leader, level, busy, curves, total, clock):
    """Play a round that may not be quiet: (arm, distance to the next candidate after it).

    `clock` is the distance of the next candidate from the start of this round on the line on
    which every thinned arm takes its rate per round, in the order of the arms.
    """
    arms = len(mean)
    bonus = 3.0 * math.log(t) * noise
    arm, best = -1, -1.0
    high = not busy  # the leader's draw is above the level, and not known
    place = 0.0
    for j in range(arms):
        rate = curves[j, RATE]
        theta = -1.0
        if rate == ALWAYS:
            k = _centre(mean[j], used[j], bonus) * used[j]
            theta = beta(stream, k, used[j] - k)
        else:
            if clock < place + rate:
                clock = place + rate + exponential(stream)
                k = _centre(mean[j], used[j], bonus) * used[j]
                curve = curves[j, HEIGHT], curves[j, DECAY], curves[j, SHARE]
                theta = _candidate(stream, k, used[j] - k, curve, level, j == leader)
                high = high and (j != leader or theta < 0.0)
            place += rate
        if theta > best:
            arm, best = j, theta
    clock -= total
    if high:
        if best <= level:
            return leader, clock
        k = _centre(mean[leader], used[leader], bonus) * used[leader]
        return (leader if beta_above(stream, k, used[leader] - k, level) > best else arm), clock
    if best > level:
        return arm, clock
    return _below(stream, mean, used, bonus, leader, level, busy, curves, arm, best), clock


@jit
def _candidate(stream, k, n, curve, level, mirrored):
    """A draw beyond the level from Beta(k + 1, n + 1), or -1 if the candidate is refused."""
    if mirrored:
        k, n, level = n, k, 1.0 - level
    height, decay, share = curve
    x = candidate_above(stream, level, decay, share)
    if not keeps(stream, x, k, n, height, level, decay):
        return -1.0
    return 1.0 - x if mirrored else x


@jit
def _below(stream, mean, used, bonus, leader, level, busy, curves, arm, best):
    """The winner when all draws are at most the level: only now the quiet arms' draws matter."""
    for j in range(len(mean)):
        if curves[j, RATE] == ALWAYS or (j == leader and not busy):
            continue
        k = _centre(mean[j], used[j], bonus) * used[j]
        theta = beta_below(stream, k, used[j] - k, level)
        if theta > best:
            arm, best = j, theta
    return arm
