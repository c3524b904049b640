"""DP-SE, private successive elimination (Sajed and Sheffet 2019), with beta = 1/T.

Constants as in two independent implementations, which agree.
"""

import numpy as np

from dpbandits.core.errors import InputError
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import PROVED
from dpbandits.stochastic.rounds import Bandit, bandit_algorithm


@bandit_algorithm("dp-se", source="Sajed and Sheffet 2019", claim=PROVED, notion=PURE)
class DpSe(Bandit):
    releases_sums = True
    state = ("S", "e", "i", "total", "rewards", "mu", "n")

    def start(self):
        if self.T is None:
            raise InputError("learner: dp-se needs to know the number of rounds; give horizon=")
        self.beta = 1 / self.T
        self.S, self.e, self.mu = np.arange(self.K), 0, np.zeros(self.K)
        self.new, self.total, self.rewards = [], np.zeros(self.K), np.zeros(self.K, int)
        self.n = np.ones(self.K)  # rewards in the last release
        self.begin_epoch()

    def begin_epoch(self):
        self.e, self.i = self.e + 1, 0
        self.total[self.S], self.rewards[self.S] = 0, 0

    def R(self):
        """Rounds of this epoch for each arm, but for rounding up."""
        e, size, beta, Delta = self.e, len(self.S), self.beta, 2.0**-self.e
        sampling = 32 * np.log(8 * size * e**2 / beta) / Delta**2
        privacy = 8 * np.log(4 * size * e**2 / beta) / (self.epsilon * Delta)
        return max(sampling, privacy) + 1

    def choose(self, allowed=None):
        J = int(self.S[self.i])
        self.i = (self.i + 1) % len(self.S)  # the arms of S in turn
        return J if allowed is None or J in allowed else super().choose(allowed)

    def index(self):
        """The arms of S, equal, before the others."""
        return np.where(np.isin(np.arange(self.K), self.S), np.inf, self.mu)

    def update(self, J, X):
        self.total[J] += X
        self.rewards[J] += 1
        if len(self.S) > 1 and self.rewards[self.S].min() >= self.R():
            self.eliminate()
            self.begin_epoch()

    def eliminate(self):
        S, e, size, beta, R = self.S, self.e, len(self.S), self.beta, self.R()
        total = self.noise.laplace(self.total[S], 1 / self.epsilon, name="total")
        self.n[S] = self.rewards[S]
        self.mu[S] = mu = total / self.n[S]
        for J, released, n in zip(S.tolist(), total, self.rewards[S], strict=True):
            self.released(J, released, n)
        h = np.sqrt(np.log(8 * size * e**2 / beta) / (2 * R))
        c = np.log(4 * size * e**2 / beta) / (R * self.epsilon)
        self.S = S[mu.max() - mu <= 2 * h + 2 * c]

    def retire(self, j):
        left = np.setdiff1d(self.S, [j])
        self.S, self.i = left if len(left) else np.array(self.live), 0

    def unreleased(self):
        return range(self.K) if self.e == 1 else ()

    def means(self):
        return self.mu, np.sqrt(2) / (self.epsilon * self.n)
