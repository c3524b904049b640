"""Anytime-Lazy-UCB (HU Algorithm 1), as printed; the comments give its line numbers."""

# ruff: noqa: E741  (O is the paper's name)
import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.rounds import Bandit, Phases, bandit_algorithm


@bandit_algorithm("anytime-lazy-ucb", source="HU Algorithm 1", claim="HU-T2", notion=PURE)
class AnytimeLazyUcb(Phases):
    """With `O[J]` = 2^r_J: its next epoch has twice as many rounds (lines 5 to 7). An index with
    fewer observations rises faster, whatever t is."""

    grows, every_round = True, True
    choose = Bandit.choose
    state = ("O", "mu_tilde")

    def start(self):
        super().start()
        self.O, self.mu_tilde = np.zeros(self.K), np.zeros(self.K)  # 2

    def index(self):
        O, t, epsilon = np.maximum(self.O, 1.0), self.t, self.epsilon  # 3: `act` counts t
        return self.mu_tilde + np.sqrt(3 * np.log(t) / O) + 3 * np.log(t) / (epsilon * O)  # 4

    def size(self, J):
        return max(1, int(2 * self.O[J]))  # 2: every arm once; 6

    def release(self, J, Phi, n):
        self.O[J], self.mu_tilde[J] = n, Phi / n  # 7

    def means(self):
        return self.mu_tilde, np.sqrt(2) / (self.epsilon * np.maximum(self.O, 1.0))
