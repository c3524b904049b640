"""DP-SE, private successive elimination (Sajed and Sheffet 2019), with beta = 1/T.

Constants as in two independent implementations, which agree.
"""

import numpy as np

from dpbandits.core.errors import InputError
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import PROVED
from dpbandits.stochastic.rounds import Bandit, bandit


@bandit("dp-se", source="Sajed and Sheffet 2019", claim=PROVED, notion=PURE)
class DpSe(Bandit):
    after_last = "its guarantee has beta = 1/horizon: start one with a larger horizon"

    @property
    def last_round(self):
        return self.T

    def start(self):
        if self.T is None:
            raise InputError("learner: dp-se needs to know the number of rounds; give horizon=")
        self.beta = 1 / self.T
        self.S, self.e = np.arange(self.K), 0
        self.begin_epoch()

    def begin_epoch(self):
        self.e += 1
        self.r, self.i, self.total = 0, 0, np.zeros(len(self.S))

    def R(self):
        """Rounds of this epoch for each arm, but for rounding up."""
        e, size, beta, Delta = self.e, len(self.S), self.beta, 2.0**-self.e
        sampling = 32 * np.log(8 * size * e**2 / beta) / Delta**2
        privacy = 8 * np.log(4 * size * e**2 / beta) / (self.epsilon * Delta)
        return max(sampling, privacy) + 1

    def act(self):
        return int(self.S[self.i])

    def update(self, X):
        if len(self.S) == 1:
            return
        self.total[self.i] += X
        self.i = (self.i + 1) % len(self.S)  # the arms of S in turn
        if self.i == 0:
            self.r += 1
            if self.r >= self.R():
                self.eliminate()
                self.begin_epoch()

    def eliminate(self):
        e, size, beta, R = self.e, len(self.S), self.beta, self.R()
        mu = self.noise.laplace(self.total, 1 / self.epsilon, name="total") / self.r
        h = np.sqrt(np.log(8 * size * e**2 / beta) / (2 * R))
        c = np.log(4 * size * e**2 / beta) / (R * self.epsilon)
        self.S = self.S[mu.max() - mu <= 2 * h + 2 * c]
