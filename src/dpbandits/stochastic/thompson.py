"""Thompson sampling with Beta(1, 1) priors (HU Algorithm 2), as printed; not private.

The comments give the line numbers of the printed algorithm.
"""

# ruff: noqa: E741  (O is the paper's name)
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm("thompson", setting=StochasticSetting, source="HU Algorithm 2")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(thompson, len(setting.means))
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def thompson(K, rng):
    """`X = yield J` pulls arm J and receives its reward (see `rounds`)."""
    O, mu_hat = np.zeros(K), np.zeros(K)  # 2
    while True:  # 3
        theta = rng.beta(mu_hat * O + 1, (1 - mu_hat) * O + 1)  # 4
        J = np.argmax(theta)  # 5
        X = yield J
        O[J] += 1
        mu_hat[J] += (X - mu_hat[J]) / O[J]
