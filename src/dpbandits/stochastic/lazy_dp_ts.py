"""Lazy-DP-TS (HU Algorithm 3), as printed; the comments give its line numbers."""

# ruff: noqa: E741  (O is the paper's name)
from functools import partial
from itertools import count

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm(
    "lazy-dp-ts", setting=StochasticSetting, source="HU Algorithm 3", claim="HU-T4", notion=PURE
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(lazy_dp_ts, len(setting.means), epsilon)
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def lazy_dp_ts(K, epsilon, rng):
    """`X = yield J` pulls arm J and receives its reward (see `rounds`)."""
    O, r, mu_tilde = np.ones(K), np.zeros(K, int), np.zeros(K)  # 2
    N, Phi = np.zeros(K), np.zeros(K)
    for j in range(K):
        X = yield j
        mu_tilde[j] = X + rng.laplace(scale=1 / epsilon)
    for t in count(K + 1):  # 3
        mu_bar = np.clip(mu_tilde + 3 * np.log(t) / (epsilon * O), 0, 1)  # 4
        theta = rng.beta(mu_bar * O + 1, (1 - mu_bar) * O + 1)
        J = np.argmax(theta)  # 5
        X = yield J
        N[J] += 1  # 6
        Phi[J] += X
        if N[J] == 2 ** (r[J] + 1):  # 7
            O[J] = 2 ** (r[J] + 1)  # 8
            mu_tilde[J] = (Phi[J] + rng.laplace(scale=1 / epsilon)) / O[J]
            r[J] += 1
            N[J], Phi[J] = 0, 0
