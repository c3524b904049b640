"""UCB1 and KL-UCB in blocks that the leader cannot lose (not private).

The leader's index is at its lowest when all its next rewards are 0, the others' indices at their
highest in the block's last round. If it leads even then, the block is played without looking, its
rewards one Binomial. Blocks grow with the leader's pulls, so late rounds are cheap.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial
from dpbandits.core.source import words_of
from dpbandits.stochastic.engine.bernoulli_kl import exceeds, leader, upper_bound
from dpbandits.stochastic.engine.play import diary_of, play


@jit
def simulate_guarded(world, diaries, states, kl):
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]), kl)


@jit
def _one(world, diary, stream, kl):
    arms, pulls = len(world.means), diary.pulls
    total = np.zeros(arms, np.int64)
    centres, levels = np.empty(arms), np.empty(arms)
    t, tried = 0, 1
    while t < world.horizon:
        last = t + 1
        if t < arms:
            arm = t
        else:
            arm = (
                _kl_leader(total, pulls, t + 1, centres, levels)
                if kl
                else _leader(total, pulls, t + 1)
            )
            tried = min(2 * tried, world.horizon - t)
            while tried > 1 and not _safe(kl, total, pulls, arm, t + 1, t + tried):
                tried //= 2
            last = t + tried
        play(world, diary, arm, t, last)
        total[arm] += binomial(stream, last - t, world.means[arm])
        t = last


@jit
def _leader(total, pulls, t):
    arm, best = 0, -math.inf
    for j in range(len(total)):
        index = total[j] / pulls[j] + math.sqrt(2.0 * math.log(t) / pulls[j])
        if index > best:
            arm, best = j, index
    return arm


@jit
def _kl_leader(total, pulls, t, centres, levels):
    for j in range(len(total)):
        centres[j], levels[j] = total[j] / pulls[j], math.log(t) / pulls[j]
    return leader(centres, levels)


@jit
def _safe(kl, total, pulls, arm, first, last):
    """Whether `arm` leads in rounds first..last whatever its rewards are, with 1e-12 to spare."""
    early, late = math.log(first), math.log(last) * (1.0 + 1e-12)
    count = pulls[arm] + last - first  # before round `last`
    worst = total[arm] / count
    bound = upper_bound(worst, early / count) if kl else worst + math.sqrt(2.0 * early / count)
    for j in range(len(total)):
        if j == arm:
            continue
        centre, level = total[j] / pulls[j], late / pulls[j]
        if kl:
            if exceeds(centre, level, bound):
                return False
        elif centre + math.sqrt(2.0 * level) >= bound:
            return False
    return True
