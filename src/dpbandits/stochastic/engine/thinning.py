"""A round of Thompson sampling that may not be quiet, drawn exactly by thinning.

For a block of rounds we pick a level y. In a quiet round the leader's sample is above y and all
others are below: the leader is played, nothing else matters. For each arm `beta_tails` has an
exponential curve above its density, on the side of y where a sample makes a round not quiet; it is
valid for all rounds of the block. Candidates are a Poisson process of rate 1 on a line, on which a
round occupies an interval of length block.rate, split among the arms in order into parts of length
curves.rate[j]. If arm j's part holds a candidate, it is accepted with probability density/curve. In
a busy block (BUSY or more candidates per round) the leader and other arms that often matter are
sampled in every round, and only the others are thinned.
"""

from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import inlined, jit
from dpbandits.core.variates import exponential
from dpbandits.stochastic.engine.beta_tails import (
    ALWAYS,
    Curves,
    beta,
    beta_between,
    candidate_above,
)


class Block(NamedTuple):
    leader: int
    level: float
    busy: bool
    rate: float  # candidates per round, of all thinned arms together
    curves: Curves  # above the level; the leader's is that of 1 - theta above 1 - level


class Posteriors(NamedTuple):
    """Beta(k + 1, n + 1) of each arm, in one round."""

    k: np.ndarray
    n: np.ndarray


@jit
def level_between(centre, deviation, leader):
    """The highest level equally many standard deviations from the leader and from another arm."""
    level = 0.0
    for j in range(len(centre)):
        if j != leader:
            both = deviation[j] + deviation[leader]
            between = (centre[leader] * deviation[j] + centre[j] * deviation[leader]) / both
            level = max(level, between)
    return level


@inlined
def play_round(stream, posteriors, block, distance):
    """The arm of a round that may not be quiet, and the distance to the next candidate after it.

    `distance`: of the next candidate from the start of this round.
    """
    k, n = posteriors
    leader, level, rates = block.leader, block.level, block.curves.rate
    arm, best = -1, -1.0
    leader_is_above = not block.busy  # its sample is above the level, and not drawn
    start = 0.0  # of arm j's part of the round
    for j in range(len(k)):
        theta = -1.0
        if rates[j] == ALWAYS:
            theta = beta(stream, k[j], n[j])
        else:
            if distance < start + rates[j]:
                distance = start + rates[j] + exponential(stream)
                theta = _candidate(stream, posteriors, block, j)
                leader_is_above = leader_is_above and (j != leader or theta < 0.0)
            start += rates[j]
        if theta > best:
            arm, best = j, theta
    if leader_is_above:
        if best <= level or beta_between(stream, k[leader], n[leader], level, 1.0) > best:
            arm = leader
    elif best <= level:
        arm = _best_below(stream, posteriors, block, arm, best)
    return arm, distance - block.rate


@inlined
def _candidate(stream, posteriors, block, j):
    """Arm j's sample beyond the level, or -1 if the candidate is rejected."""
    k, n = posteriors.k[j], posteriors.n[j]
    if j != block.leader:
        return candidate_above(stream, block.curves, j, k, n, block.level)
    x = candidate_above(stream, block.curves, j, n, k, 1.0 - block.level)
    return 1.0 - x if x >= 0.0 else -1.0


@jit
def _best_below(stream, posteriors, block, arm, best):
    """The winner when all samples are at most the level: only now the thinned arms matter."""
    for j in range(len(posteriors.k)):
        if block.curves.rate[j] == ALWAYS or (j == block.leader and not block.busy):
            continue
        theta = beta_between(stream, posteriors.k[j], posteriors.n[j], -1.0, block.level)
        if theta > best:
            arm, best = j, theta
    return arm
