"""KL-UCB (Garivier and Cappe 2011), not private: max{q: n kl(mean, q) <= ln t}."""

from functools import partial
from itertools import count

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.divergences import kl_bound
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm("kl-ucb", setting=StochasticSetting, source="Garivier and Cappe 2011")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(kl_ucb, len(setting.means))
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def kl_ucb(K, rng=None):
    """`X = yield J` pulls arm J and receives its reward (see `rounds`)."""
    n, total = np.ones(K), np.zeros(K)
    for j in range(K):
        total[j] = yield j
    for t in count(K + 1):
        J = np.argmax([kl_bound(total[j] / n[j], np.log(t) / n[j]) for j in range(K)])
        X = yield J
        n[J] += 1
        total[J] += X
