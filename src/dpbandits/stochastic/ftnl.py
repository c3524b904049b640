"""Naive Follow-the-Noisy-Leader (HU Section 5): every action's sum alone is (eps/K)-private."""

from functools import partial
from itertools import count

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm(
    "ftnl",
    setting=StochasticSetting,
    source="HU Section 5",
    claim="assumed: proved in docs/proofs/HU.md, Section 5",
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(ftnl, len(setting.means), epsilon)
    return play_rounds(learner, setting, horizon, streams, checkpoints, full_information=True)


def ftnl(K, epsilon, rng):
    """`X = yield J` plays action J and receives the rewards of all actions (see `rounds`)."""
    J = 0
    for s in count():
        Phi = np.zeros(K)
        for _ in range(2**s):
            X = yield J
            Phi += X
        J = np.argmax(Phi + rng.laplace(scale=K / epsilon, size=K))
