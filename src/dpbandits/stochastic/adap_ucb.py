"""AdaP-UCB (Azize and Basu 2022, Section 4), and the episodes that it shares with AdaP-KLUCB."""

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import PROVED, AdapSetting
from dpbandits.stochastic.rounds import Bandit, bandit


@bandit(
    "adap-ucb",
    setting=AdapSetting,
    source="Azize and Basu 2022, Section 4",
    claim=PROVED,
    notion=PURE,
)
class AdapUcb(Bandit):
    """An episode plays the arm of the largest index until its total count has doubled. Its private
    mean is that of this episode alone.
    """

    def start(self):
        self.N, self.n, self.mu = np.ones(self.K, int), np.ones(self.K), np.zeros(self.K)
        self.total, self.left = 0, 0  # of the episode: its rewards so far, its rounds to come

    def act(self):
        self.t += 1
        if self.t <= self.K:  # every arm once
            self.a, self.total, self.left = self.t - 1, 0, 1
        elif self.left == 0:
            self.a = int(np.argmax(self.index(self.mu, self.n, self.t)))
            self.n[self.a], self.total, self.left = self.N[self.a], 0, int(self.N[self.a])
            self.N[self.a] *= 2
        return self.a

    def index(self, mu, n, t):
        """mu + sqrt(alpha ln(2t)/(2n)) + alpha ln t/(eps n), for all arms (their Eq. 7)."""
        alpha, epsilon = self.alpha, self.epsilon
        return mu + np.sqrt(alpha * np.log(2 * t) / (2 * n)) + alpha * np.log(t) / (epsilon * n)

    def update(self, X):
        self.total += X
        self.left -= 1
        if self.left == 0:
            total = self.noise.laplace(self.total, 1 / self.epsilon, name="total")
            self.mu[self.a] = total / self.n[self.a]
