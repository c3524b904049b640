"""Follow-the-Leader: full information, the sums of all rounds, no noise; not private."""

from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm("ftl", setting=StochasticSetting, source="Van Erven, Kotlowski and Warmuth 2014")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(ftl, len(setting.means))
    return play_rounds(learner, setting, horizon, streams, checkpoints, full_information=True)


def ftl(K, rng):
    """`X = yield J` plays action J and receives the rewards of all actions (see `rounds`)."""
    Phi = np.zeros(K)
    while True:
        X = yield np.argmax(Phi)
        Phi += X
