"""DP-KLUCB (Azize, Wu, Honda, Orabona, Ito and Basu 2025), and the phases shared with DP-IMED."""

import math

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.divergences import d_eps_bound
from dpbandits.stochastic.problem import PROVED, GrowthSetting
from dpbandits.stochastic.rounds import Bandit, bandit


@bandit(
    "dp-klucb",
    setting=GrowthSetting,
    source="Azize et al. 2025; the growth of the phases is our choice",
    claim=PROVED,
    notion=PURE,
)
class DpKlucb(Bandit):
    """After its first pull an arm's m-th phase adds B_m = max(1, ceil(g^m) - ceil(g^(m-1))) pulls
    and one Lap(1/eps) to a sum that is never forgotten; decisions are taken between phases.
    """

    def start(self):
        K = self.K
        self.m, self.n, self.S, self.mu = np.zeros(K), np.zeros(K, int), np.zeros(K), np.zeros(K)
        self.B, self.left, self.total = 0, 0, 0  # of the phase: rounds, rounds to come, rewards

    def act(self):
        self.t += 1
        if self.left == 0:
            self.i, self.B, self.total = self.t - 1, 1, 0
            if self.t > self.K:
                self.i = int(self.choose(self.mu, self.n, self.t))
                g, m = self.growth, self.m[self.i]
                self.B = max(1, math.ceil(g**m) - math.ceil(g ** (m - 1)))
            self.left = self.B
        return self.i

    def choose(self, mu, n, t):
        """argmax of max{q: d_eps(mu, q) <= ln t/n}."""
        return np.argmax(
            [d_eps_bound(mu[i], self.epsilon, np.log(t) / n[i]) for i in range(len(n))]
        )

    def update(self, X):
        i, B = self.i, self.B
        self.total += X
        self.left -= 1
        if self.left == 0:
            self.S[i] += self.noise.laplace(self.total, 1 / self.epsilon, name="total")
            self.m[i], self.n[i] = self.m[i] + 1, self.n[i] + B
            self.mu[i] = np.clip(self.S[i] / self.n[i], 0, 1)
