"""Many rounds of Lazy-DP-TS at once where arms stay tied: how often each of them wins.

Between two ends of epochs the draws' laws change only with 3 ln t/eps: the rounds are independent,
and arm j has the largest draw with a chance p_j(t) that hardly moves. It is an integral
(`win_chances`), taken at a few rounds of a block and interpolated in ln t. What p_j(t) never falls
below is the sure part of arm j: rounds decided by it are alike, so that Binomials count them. The
few others are settled one by one, in order, with p_j(t) of their round. Arms close to the end of
their epoch have no sure part: the round of that end is among those settled.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, exponential, uniform
from dpbandits.stochastic.engine.play import play
from dpbandits.stochastic.engine.win_chances import NEGLIGIBLE, win_chances

FEW = 128  # an arm that lacks fewer rounds to the end of its epoch has no sure part
POINTS = 7  # of a block where the chances are computed
SMOOTH = 2.0**-33  # largest last difference of these: what is interpolated then errs below 1e-12
ROUNDED = 2.0**-47  # that difference per root of an arm's pulls, as its centre is rounded to 2^-53
MARGIN = 0.25  # of their range: how far an interpolated chance may be outside of it


@jit
def leap(world, diary, stream, mean, used, fresh, noise, t, end):
    """Play rounds t + 1 to `end`, or to the first end of an epoch: (last round, its arm, if so).

    Plays none if the chances are not smooth enough: within steep bonuses, or at means 0 and 1.
    """
    arms, arm, ends = len(used), 0, False
    table, low, high = np.empty((POINTS, arms)), np.empty(arms), np.empty(arms)
    sure, won = np.empty(arms), np.zeros(arms, np.int64)
    start = math.log(t + 1.0)
    scale = (POINTS - 1.0) / (math.log(end) - start)
    if not _tabulate(mean, used, noise, start, scale, table, low, high):
        return t, arm, ends
    while t < end and not ends:
        stop, total = _sure_parts(world, diary, used, fresh, low, high, sure, t, end)
        rate = -math.log1p(-max(1.0 - total, 0.0))
        at, alike = t, 0
        while at < stop and not ends:
            quiet = exponential(stream) / rate
            if quiet >= stop - at:
                alike += stop - at
                at = stop
            else:
                alike += np.int64(quiet)
                at += np.int64(quiet) + 1
                arm = _settled(stream, table, sure, total, scale * (math.log(at) - start))
                won[arm] += 1
                ends = fresh[arm] + won[arm] == 2 * used[arm]
        _count(stream, sure, total, alike, won)
        for j in range(arms):
            play(world, diary, j, t, t + won[j])
            t, fresh[j], won[j] = t + won[j], fresh[j] + won[j], 0
    return t, arm, ends


@jit
def _tabulate(mean, used, noise, start, scale, table, low, high):
    """The chances at POINTS rounds as differences, for Newton's formula, and what bounds them."""
    arms, fine = len(used), True
    centre, most = np.empty(arms), 0
    for i in range(POINTS):
        bonus = 3.0 * (start + i / scale) * noise
        for j in range(arms):
            most = max(most, used[j])
            centre[j] = min(max(mean[j] + bonus / used[j], 0.0), 1.0)
        fine = win_chances(centre, used, table[i]) and fine
    for j in range(arms):
        low[j], high[j] = table[0, j], table[0, j]
        for i in range(POINTS):
            low[j], high[j] = min(low[j], table[i, j]), max(high[j], table[i, j])
        margin = MARGIN * (high[j] - low[j])
        low[j], high[j] = max(low[j] - margin, 0.0), high[j] + margin
        for order in range(1, POINTS):
            for i in range(POINTS - 1, order - 1, -1):
                table[i, j] -= table[i - 1, j]
        fine = fine and abs(table[POINTS - 1, j]) < SMOOTH + ROUNDED * math.sqrt(most)
    return fine


@jit
def _sure_parts(world, diary, used, fresh, low, high, sure, t, end):
    """The arms' sure parts, how far these hold, and their sum: (last round, sum).

    To a checkpoint, as inside of what is counted nobody knows which arm is whose round; and so
    that no arm with a sure part ends its epoch: r wins of which m < r are expected have at most a
    chance of exp(-(r - m)^2/(2 r)), by Chernoff.
    """
    total = 0.0
    if diary.next[0] < len(world.checkpoints):
        end = min(end, world.checkpoints[diary.next[0]])
    for j in range(len(used)):
        lacking, sure[j] = 2 * used[j] - fresh[j], 0.0
        if lacking >= FEW:
            room = (lacking - math.sqrt(2.0 * NEGLIGIBLE * lacking)) / high[j]
            sure[j] = low[j]
            end = min(end, t + np.int64(min(room, end - t)))
        total += sure[j]
    return end, total


@jit
def _settled(stream, table, sure, total, place):
    """The arm of a round that no sure part decides, `place` steps behind the table's first."""
    left, arm = uniform(stream) * (1.0 - total), 0
    for j in range(len(sure)):
        chance = table[POINTS - 1, j]
        for i in range(POINTS - 2, -1, -1):
            chance = table[i, j] + chance * (place - i) / (i + 1.0)
        if left >= 0.0 and chance > sure[j]:
            arm = j
        left -= chance - sure[j]
    return arm


@jit
def _count(stream, sure, total, rounds, won):
    """Add the wins in rounds that the sure parts decide; those left are of the surest arm."""
    top = 0
    for j in range(len(sure)):
        top = j if sure[j] > sure[top] else top
    for j in range(len(sure)):
        if j != top:
            wins = binomial(stream, rounds, sure[j] / total)
            won[j], rounds, total = won[j] + wins, rounds - wins, total - sure[j]
    won[top] += rounds
