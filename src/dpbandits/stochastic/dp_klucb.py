"""DP-KLUCB (Azize, Wu, Honda, Orabona, Ito and Basu 2025), and the phases shared with DP-IMED."""

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.divergences import d_eps_bound
from dpbandits.stochastic.problem import PROVED, GrowthSetting
from dpbandits.stochastic.rounds import Phases, bandit


@bandit(
    "dp-klucb",
    setting=GrowthSetting,
    source="Azize et al. 2025; the growth of the phases is our choice",
    claim=PROVED,
    notion=PURE,
)
class DpKlucb(Phases):
    """After its first pull an arm's m-th phase adds B_m = max(1, ceil(g^m) - ceil(g^(m-1))) pulls
    and one Lap(1/eps) to a sum that is never forgotten; decisions are taken between phases.
    """

    grows = True
    state = ("m", "n", "S", "mu")

    def start(self):
        super().start()
        K = self.K
        self.m, self.n, self.S, self.mu = np.zeros(K), np.zeros(K, int), np.zeros(K), np.zeros(K)

    def index(self):
        """max{q: d_eps(mu, q) <= ln t/n} as a logit, for all arms."""
        mu, n, level = self.mu, np.maximum(self.n, 1), np.log(self.t)
        index = np.empty(self.K)
        for i in range(self.K):
            index[i] = d_eps_bound(mu[i], self.epsilon, level / n[i])
        return index

    def size(self, i):
        g, m = self.growth, self.m[i]
        return int(max(1.0, min(np.ceil(g**m) - np.ceil(g ** (m - 1)), 4.0e18)))

    def release(self, i, total, B):
        self.S[i] += total
        self.m[i], self.n[i] = self.m[i] + 1, self.n[i] + B
        self.mu[i] = min(max(self.S[i] / self.n[i], 0.0), 1.0)

    def means(self):
        return self.mu, np.sqrt(2 * self.m) / (self.epsilon * np.maximum(self.n, 1))
