"""Thompson sampling with Beta(1, 1) priors (HU Algorithm 2), as printed; not private.

The comments give the line numbers of the printed algorithm.
"""

# ruff: noqa: E741  (O is the paper's name)
from functools import partial

import numpy as np

from dpbandits.stochastic.rounds import Bandit, bandit_algorithm


def chance_of_largest(means, j, among=None) -> float:
    """P(the draw of arm j is the largest), for independent draws from Beta(mu n + 1, (1-mu) n + 1),
    (mu, n) of each arm: summed over cells, by densities at their middles; error about 1e-4."""
    mu, n = np.transpose(means)
    a, b = mu * n + 1, (1 - mu) * n + 1
    if among is not None:
        a, b, j = a[among], b[among], list(among).index(j)
    mean = a / (a + b)
    sd = np.sqrt(mean * (1 - mean) / (a + b + 1))
    ends = mean + sd * np.linspace(-15, 15, 601)[:, None]
    ends = np.unique(np.clip(np.append(ends, np.linspace(0, 1, 201)), 0, 1))
    y, width = (ends[1:] + ends[:-1]) / 2, np.diff(ends)
    log = (a - 1) * np.log(y)[:, None] + (b - 1) * np.log1p(-y)[:, None]
    cells = np.exp(log - log.max(axis=0)) * width[:, None]
    cells /= cells.sum(axis=0)
    below = np.delete(np.cumsum(cells, axis=0) - cells / 2, j, axis=1)
    return float(cells[:, j] @ below.prod(axis=1))


@bandit_algorithm("thompson", source="HU Algorithm 2")
class Thompson(Bandit):
    grows = True
    state = ("O", "mu_hat")

    def start(self):
        self.O, self.mu_hat = np.zeros(self.K), np.zeros(self.K)  # 2
        self.new = []  # no arm needs a first pull

    def index(self):  # 3
        O, mu_hat = self.O, self.mu_hat
        return self.rng.beta(mu_hat * O + 1, (1 - mu_hat) * O + 1)  # 4; 5 is `best`

    def chance(self, J, allowed):
        means = np.transpose([self.mu_hat, self.O])  # of this round's draws
        return partial(chance_of_largest, means, J, allowed)

    def update(self, J, X):
        O, mu_hat = self.O, self.mu_hat
        O[J] += 1
        mu_hat[J] += (X - mu_hat[J]) / O[J]
