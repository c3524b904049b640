"""UCB1 (Auer, Cesa-Bianchi and Fischer 2002), not private: mean + sqrt(2 ln t/n)."""

from functools import partial
from itertools import count

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm("ucb1", setting=StochasticSetting, source="Auer, Cesa-Bianchi and Fischer 2002")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(ucb1, len(setting.means))
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def ucb1(K, rng=None):
    """`X = yield J` pulls arm J and receives its reward (see `rounds`)."""
    n, total = np.ones(K), np.zeros(K)
    for j in range(K):
        total[j] = yield j
    for t in count(K + 1):
        J = np.argmax(total / n + np.sqrt(2 * np.log(t) / n))
        X = yield J
        n[J] += 1
        total[J] += X
