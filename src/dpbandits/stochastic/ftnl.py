"""Naive Follow-the-Noisy-Leader (HU Section 5): every action's sum alone is (eps/K)-private.

These are the epochs and decisions of Algorithm 4, with Lap(K/eps) in place of Lap(1/eps).
"""

from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import PROVED
from dpbandits.stochastic.rnm_ftnl import LAPLACE, RnmFtnl, Variant
from dpbandits.stochastic.rounds import bandit_algorithm


@bandit_algorithm("ftnl", source="HU Section 5", claim=PROVED, notion=PURE)
class Ftnl(RnmFtnl):
    @property
    def form(self) -> Variant:
        return Variant(LAPLACE, scale=self.K / self.epsilon)
