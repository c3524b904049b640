"""UCB1 (Auer, Cesa-Bianchi and Fischer 2002); not private."""

import numpy as np

from dpbandits.stochastic.rounds import Bandit, bandit


@bandit("ucb1", source="Auer, Cesa-Bianchi and Fischer 2002")
class Ucb1(Bandit):
    def start(self):
        self.n, self.total = np.zeros(self.K), np.zeros(self.K)

    def act(self):
        self.t += 1
        self.J = self.t - 1
        if self.t > self.K:
            self.J = int(np.argmax(self.index(self.total / self.n, self.n, self.t)))
        return self.J

    def index(self, mu, n, t):
        """mu + sqrt(2 ln t/n), for all arms."""
        return mu + np.sqrt(2 * np.log(t) / n)

    def update(self, X):
        self.n[self.J] += 1
        self.total[self.J] += X
