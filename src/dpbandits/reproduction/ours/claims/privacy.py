"""Checks of the promises of our own learners."""

import math
from functools import partial

import numpy as np

from dpbandits.audit.replayed.functions import neighbours_of
from dpbandits.audit.replayed.learners import learner_program
from dpbandits.audit.replayed.pairs import Claim, Pair, Replays
from dpbandits.core.gaussian import delta_of, largest_rho
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof
from dpbandits.sparse.dp_linear import DELTA as DELTA_OF_SUMS
from dpbandits.sparse.dp_linear import WEIGHT
from dpbandits.stochastic.na_imed import NaImed
from dpbandits.stochastic.na_tt import NaTt

ROUNDING = 1e-9  # of losses and lengths, relative
LEARNERS = {"na-imed": NaImed, "na-tt": NaTt}
DELTA, PROMISED = 0.01, (1.0, 2.0, 5.0, 10.0)


def replayed(tables, learner: str, epsilons: list[float], **options) -> Finding:
    """The loss of all releases of a learner when one of 120 rewards changes: the replay of
    docs/auditing.md, infinite if anything else of what it does differs."""
    losses, rewards = [], np.random.default_rng(8).integers(0, 2, 120).tolist()
    for epsilon in epsilons:
        start = partial(LEARNERS[learner], 3, epsilon, **options)
        replays = Replays(learner_program(start, trusted=True), Claim(epsilon), transcripts=1)
        neighbours = list(neighbours_of(rewards, [0, 1], ["replace"]))[::5]
        replays.replay([Pair(rewards, neighbour, place) for neighbour, place in neighbours])
        losses.append(max(pair.loss.epsilon for pair in replays.found))
    return Finding("holds", {}, points_of(losses, at_most=np.array(epsilons) + ROUNDING))


def dp_linear(tables) -> Finding:
    """K1.2: the squared change of a batch's sums, over the angle of two unit features whose rewards
    are as far apart as they can be; and delta at eps of a release with noise for its square root.
    """
    c, y, w = np.linspace(-0.5, 1, 151), 0.5, WEIGHT
    gram, moment = 2 - 2 * c**2, w**2 * (2 * y**2 + 2 * y**2 * c)
    same, other = np.sqrt(gram + moment), math.sqrt(2 + 2 * w**2 * y**2)
    require_proof(other <= DELTA_OF_SUMS, "Theorem K1, two arms")
    spent = [delta_of(largest_rho(e, DELTA), e) for e in PROMISED]
    require_proof(max(spent) <= DELTA, "Theorem K1, (eps, delta)")
    found = points_of(same, at_most=DELTA_OF_SUMS * (1 + ROUNDING))
    return Finding("holds", {"most": same.max()}, found)
