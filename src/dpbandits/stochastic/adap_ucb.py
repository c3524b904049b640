"""AdaP-UCB (Azize and Basu 2022, Section 4), and the episodes that it shares with AdaP-KLUCB."""

from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import PROVED, AdapSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm(
    "adap-ucb",
    setting=AdapSetting,
    source="Azize and Basu 2022, Section 4",
    claim=PROVED,
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(adap, len(setting.means), epsilon, partial(index, setting.alpha, epsilon))
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def index(alpha, epsilon, mu, n, t):
    """mu + sqrt(alpha ln(2t)/(2n)) + alpha ln t/(eps n), for all arms (Azize and Basu's Eq. 7)."""
    return mu + np.sqrt(alpha * np.log(2 * t) / (2 * n)) + alpha * np.log(t) / (epsilon * n)


def adap(K, epsilon, index, rng):
    """`X = yield a` pulls arm a and receives its reward (see `rounds`).

    An episode plays the arm of the largest index until its total count has doubled. Its private
    mean is that of this episode alone.
    """
    N, n, mu = np.ones(K, int), np.ones(K), np.zeros(K)
    for a in range(K):
        X = yield a
        mu[a] = X + rng.laplace(scale=1 / epsilon)
    t = K + 1
    while True:
        a = np.argmax(index(mu, n, t))
        n[a], total = N[a], 0
        for _ in range(N[a]):
            X = yield a
            total += X
            t += 1
        N[a] *= 2
        mu[a] = (total + rng.laplace(scale=1 / epsilon)) / n[a]
