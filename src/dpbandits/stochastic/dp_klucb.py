"""DP-KLUCB (Azize, Wu, Honda, Orabona, Ito and Basu 2025), and the phases shared with DP-IMED."""

import math

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.divergences import d_eps_bound
from dpbandits.stochastic.problem import PROVED, GrowthSetting
from dpbandits.stochastic.rounds import Phases, bandit_algorithm


def nearest(tuned, epsilon):
    """The entry of the epsilon that is nearest, by its logarithm."""
    epsilon = min(epsilon, max(tuned))  # it may be infinite
    return tuned[min(tuned, key=lambda known: abs(math.log(known / epsilon)))]


@bandit_algorithm(
    "dp-klucb",
    setting=GrowthSetting,
    source="Azize et al. 2025; how batches grow is our choice (hu/rivals_tuning)",
    claim=PROVED,
    notion=PURE,
)
class DpKlucb(Phases):
    """A batch makes an arm's plays `growth` times as many, and adds their rewards and one
    Lap(1/eps) to a sum that is never forgotten; decisions are taken between batches.
    """

    grows = True
    state = ("m", "n", "S", "mu")
    # epsilon: growth, first_batch; the least regret in the table hu/rivals_tuning
    tuned = {0.01: (1.1, 2.0), 0.05: (1.2, 2.0), 0.1: (1.2, 2.0), 0.25: (1.2, 8.0),
             0.5: (1.2, 8.0), 1.0: (1.2, 8.0), 2.0: (1.1, 8.0), 5.0: (1.1, 8.0)}  # fmt: skip

    def start(self):
        super().start()
        K = self.K
        growth, first = nearest(self.tuned, self.epsilon)
        self.growth = growth if self.growth is None else self.growth
        self.first_batch = first if self.first_batch is None else self.first_batch
        self.first = max(1, math.ceil(self.first_batch / self.epsilon))
        if self.T is not None:  # all first batches together take at most half of the rounds
            self.first = max(1, min(self.first, self.T // (2 * K)))
        self.m, self.n, self.S, self.mu = np.zeros(K), np.zeros(K, int), np.zeros(K), np.zeros(K)

    def index(self):
        """max{q: d_eps(mu, q) <= ln t/n} as a logit, for all arms."""
        mu, n, level = self.mu, np.maximum(self.n, 1), np.log(self.t)
        index = np.empty(self.K)
        for i in range(self.K):
            index[i] = d_eps_bound(mu[i], self.epsilon, level / n[i])
        return index

    def size(self, i):
        return max(self.first, int(min(np.ceil((self.growth - 1) * self.n[i]), 4.0e18)))

    def release(self, i, total, B):
        self.S[i] += total
        self.m[i], self.n[i] = self.m[i] + 1, self.n[i] + B
        self.mu[i] = min(max(self.S[i] / self.n[i], 0.0), 1.0)

    def means(self):
        return self.mu, np.sqrt(2 * self.m) / (self.epsilon * np.maximum(self.n, 1))
