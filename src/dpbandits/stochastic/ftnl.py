"""Naive Follow-the-Noisy-Leader (HU Section 5): every action's sum alone is (eps/K)-private.

These are the epochs and decisions of Algorithm 4, with Lap(K/eps) in place of Lap(1/eps).
"""

from functools import partial

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import PROVED, StochasticSetting
from dpbandits.stochastic.rnm_ftnl import LAPLACE, Variant, rnm_ftnl
from dpbandits.stochastic.rounds import play_rounds


@algorithm("ftnl", setting=StochasticSetting, source="HU Section 5", claim=PROVED, notion=PURE)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    K = len(setting.means)
    learner = partial(rnm_ftnl, K, Variant(LAPLACE, scale=K / epsilon))
    return play_rounds(learner, setting, horizon, streams, checkpoints, full_information=True)
