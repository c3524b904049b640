"""AdaP-UCB (Azize and Basu 2022, Section 4), and the episodes that it shares with AdaP-KLUCB."""

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import PROVED, AdapSetting
from dpbandits.stochastic.rounds import Phases, bandit_algorithm


@bandit_algorithm(
    "adap-ucb",
    setting=AdapSetting,
    source="Azize and Basu 2022, Section 4",
    claim=PROVED,
    notion=PURE,
)
class AdapUcb(Phases):
    """An episode plays the arm of the largest index until its total count has doubled. Its private
    mean is that of this episode alone.
    """

    grows = True
    state = ("N", "n", "mu")

    def start(self):
        super().start()
        self.N, self.n, self.mu = np.zeros(self.K, int), np.ones(self.K), np.zeros(self.K)

    def index(self):
        """mu + sqrt(alpha ln(2t)/(2n)) + alpha ln t/(eps n), for all arms (their Eq. 7)."""
        mu, n, t, alpha, epsilon = self.mu, self.n, self.t, self.alpha, self.epsilon
        return mu + np.sqrt(alpha * np.log(2 * t) / (2 * n)) + alpha * np.log(t) / (epsilon * n)

    def size(self, a):
        return max(1, self.N[a])

    def release(self, a, total, n):
        self.N[a], self.n[a], self.mu[a] = self.N[a] + n, n, total / n

    def means(self):
        return self.mu, np.sqrt(2) / (self.epsilon * self.n)
