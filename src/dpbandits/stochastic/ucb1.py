"""UCB1 (Auer, Cesa-Bianchi and Fischer 2002); not private."""

import numpy as np

from dpbandits.stochastic.rounds import Bandit, bandit_algorithm


@bandit_algorithm("ucb1", source="Auer, Cesa-Bianchi and Fischer 2002")
class Ucb1(Bandit):
    grows = True
    state = ("n", "total")

    def start(self):
        self.n, self.total = np.zeros(self.K), np.zeros(self.K)

    def index(self):
        """mu + sqrt(2 ln t/n), for all arms."""
        n = np.maximum(self.n, 1)
        return self.total / n + np.sqrt(2 * np.log(self.t) / n)

    def update(self, J, X):
        self.n[J] += 1
        self.total[J] += X
        self.released(J)
