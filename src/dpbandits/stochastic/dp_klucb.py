"""DP-KLUCB (Azize, Wu, Honda, Orabona, Ito and Basu 2025), and the phases shared with DP-IMED."""

import math
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.divergences import d_eps_bound
from dpbandits.stochastic.problem import PROVED, GrowthSetting
from dpbandits.stochastic.rounds import play_rounds


@algorithm(
    "dp-klucb",
    setting=GrowthSetting,
    source="Azize et al. 2025; the growth of the phases is our choice",
    claim=PROVED,
    notion=PURE,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    learner = partial(phases, len(setting.means), epsilon, setting.growth, partial(choose, epsilon))
    return play_rounds(learner, setting, horizon, streams, checkpoints)


def choose(epsilon, mu, n, t):
    """argmax of max{q: d_eps(mu, q) <= ln t/n}."""
    return np.argmax([d_eps_bound(mu[i], epsilon, np.log(t) / n[i]) for i in range(len(n))])


def phases(K, epsilon, growth, choose, rng):
    """`X = yield i` pulls arm i and receives its reward (see `rounds`).

    After its first pull an arm's m-th phase adds B_m = max(1, ceil(g^m) - ceil(g^(m-1))) pulls and
    one Lap(1/eps) to a sum that is never forgotten; decisions are taken between phases.
    """
    m, n, S, mu = np.zeros(K), np.zeros(K, int), np.zeros(K), np.zeros(K)
    t = 1
    while True:
        i, B = t - 1, 1
        if t > K:
            i = choose(mu, n, t)
            B = max(1, math.ceil(growth ** m[i]) - math.ceil(growth ** (m[i] - 1)))
        total = 0
        for _ in range(B):
            X = yield i
            total += X
        S[i] += total + rng.laplace(scale=1 / epsilon)
        t, m[i], n[i] = t + B, m[i] + 1, n[i] + B
        mu[i] = np.clip(S[i] / n[i], 0, 1)
