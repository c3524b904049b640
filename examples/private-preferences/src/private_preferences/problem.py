"""PP's problem: duels between answers on the unit circle, of which the labels alone are private.

A record is a signed difference z of two unit vectors, as in dpbandits.offline: the first answer
less the second if it won. The difference is public up to its sign, and a label flip turns z to -z.
"""

from itertools import product
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline.problem import uniform_reference
from dpbandits.reproduction.kl.draws import circle, draw_preferences

THETA = np.array([0.5, 0.0])  # the true reward of an answer phi is THETA'phi
RADIUS, PENALTY = 3.0, 1.0  # of KL's maximum likelihood and Sigma, as in kl/choice
Positive = Annotated[float, Field(gt=0)]


class Duels:
    """One data set, and the answers that a policy chooses between."""

    def __init__(self, n: int, actions: int, coverage: float, generator):
        """`coverage`: the smallest over the largest variance of the answers (offline.problem)."""
        self.angles, self.actions = circle(actions)
        self.reference = uniform_reference(actions)
        self.means = self.actions @ THETA
        self.data = draw_preferences(n, THETA, coverage, generator)
        self.flips = np.unique(self.data.signed, axis=0)  # the neighbours: one of these flips


class Comparison(Model):
    """What the studies of central and of local methods have in common."""

    n: int = Field(200, gt=1)
    actions: int = Field(5, ge=3)
    coverage: tuple[Annotated[float, Field(gt=0, le=1)], ...]
    objective_eta: tuple[Positive, ...]  # the eta of J
    epsilon: tuple[Positive, ...]
    draws: int = Field(20, ge=2)

    def data_sets(self):
        """(coverage, duels, generator) of every draw: the same data in both studies."""
        for coverage, draw in product(self.coverage, range(self.draws)):
            streams = Streams(key_of("pp", self.n, coverage), (draw,))
            duels = Duels(self.n, self.actions, coverage, streams.generator(0))
            yield coverage, duels, streams.child("reports").generator(0)
