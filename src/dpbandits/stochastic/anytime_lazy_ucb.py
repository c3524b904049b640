"""Anytime-Lazy-UCB (HU Algorithm 1), as printed; the comments give its line numbers."""

# ruff: noqa: E741  (O is the paper's name)
from functools import partial
from itertools import count

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm(
    "anytime-lazy-ucb",
    setting=StochasticSetting,
    source="HU Algorithm 1",
    claim="HU-T2",
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(anytime_lazy_ucb, len(setting.means), epsilon)
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def anytime_lazy_ucb(K, epsilon, rng):
    """`X = yield J` pulls arm J and receives its reward (see `rounds`)."""
    O, r, mu_tilde = np.ones(K), np.zeros(K, int), np.zeros(K)  # 2
    N, Phi = np.zeros(K), np.zeros(K)
    for j in range(K):
        X = yield j
        mu_tilde[j] = X + rng.laplace(scale=1 / epsilon)
    for t in count(K + 1):  # 3
        mu_bar = mu_tilde + np.sqrt(3 * np.log(t) / O) + 3 * np.log(t) / (epsilon * O)  # 4
        J = np.argmax(mu_bar)
        X = yield J
        N[J] += 1  # 5
        Phi[J] += X
        if N[J] == 2 ** (r[J] + 1):  # 6
            O[J] = 2 ** (r[J] + 1)  # 7
            mu_tilde[J] = (Phi[J] + rng.laplace(scale=1 / epsilon)) / O[J]
            r[J] += 1
            N[J], Phi[J] = 0, 0
