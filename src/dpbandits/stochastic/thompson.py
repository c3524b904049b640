"""Thompson sampling with Beta(1, 1) priors (HU Algorithm 2), as printed; not private.

The comments give the line numbers of the printed algorithm.
"""

# ruff: noqa: E741  (O is the paper's name)
import numpy as np

from dpbandits.stochastic.rounds import Bandit, bandit


@bandit("thompson", source="HU Algorithm 2")
class Thompson(Bandit):
    def start(self):
        self.O, self.mu_hat = np.zeros(self.K), np.zeros(self.K)  # 2

    def act(self):  # 3
        O, mu_hat = self.O, self.mu_hat
        theta = self.rng.beta(mu_hat * O + 1, (1 - mu_hat) * O + 1)  # 4
        self.J = int(np.argmax(theta))  # 5
        return self.J

    def update(self, X):
        J, O, mu_hat = self.J, self.O, self.mu_hat
        O[J] += 1
        mu_hat[J] += (X - mu_hat[J]) / O[J]
