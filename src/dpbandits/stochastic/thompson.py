"""Thompson sampling with Beta(1, 1) priors (HU Algorithm 2), as printed; not private.

The comments give the line numbers of the printed algorithm.
"""

# ruff: noqa: E741  (O is the paper's name)
import numpy as np

from dpbandits.stochastic.rounds import Bandit, bandit


@bandit("thompson", source="HU Algorithm 2")
class Thompson(Bandit):
    grows = True
    state = ("O", "mu_hat")

    def start(self):
        self.O, self.mu_hat = np.zeros(self.K), np.zeros(self.K)  # 2
        self.new = []  # no arm needs a first pull

    def index(self):  # 3
        O, mu_hat = self.O, self.mu_hat
        return self.rng.beta(mu_hat * O + 1, (1 - mu_hat) * O + 1)  # 4; 5 is `best`

    def update(self, J, X):
        O, mu_hat = self.O, self.mu_hat
        O[J] += 1
        mu_hat[J] += (X - mu_hat[J]) / O[J]
