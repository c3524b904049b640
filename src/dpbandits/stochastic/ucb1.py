"""UCB1 (Auer, Cesa-Bianchi and Fischer 2002), and the rounds that it shares with KL-UCB.

Not private.
"""

from functools import partial
from itertools import count

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm("ucb1", setting=StochasticSetting, source="Auer, Cesa-Bianchi and Fischer 2002")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(ucb, len(setting.means), index)
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def index(mu, n, t):
    """mu + sqrt(2 ln t/n), for all arms."""
    return mu + np.sqrt(2 * np.log(t) / n)


def ucb(K, index, rng):
    """`X = yield J` pulls arm J and receives its reward (see `rounds`)."""
    n, total = np.ones(K), np.zeros(K)
    for j in range(K):
        total[j] = yield j
    for t in count(K + 1):
        J = np.argmax(index(total / n, n, t))
        X = yield J
        n[J] += 1
        total[J] += X
