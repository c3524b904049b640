"""Anytime-Lazy-UCB (HU Algorithm 1), as printed; the comments give its line numbers."""

# ruff: noqa: E741  (O is the paper's name)
import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.rounds import Bandit, bandit


@bandit("anytime-lazy-ucb", source="HU Algorithm 1", claim="HU-T2", notion=PURE)
class AnytimeLazyUcb(Bandit):
    grows = True
    state = ("O", "r", "mu_tilde", "N", "Phi")

    def start(self):
        K = self.K
        self.O, self.r, self.mu_tilde = np.ones(K), np.zeros(K, int), np.zeros(K)  # 2
        self.N, self.Phi = np.zeros(K), np.zeros(K)

    def index(self):
        O, t, epsilon = self.O, self.t, self.epsilon  # 3: `act` counts t
        return self.mu_tilde + np.sqrt(3 * np.log(t) / O) + 3 * np.log(t) / (epsilon * O)  # 4

    def update(self, J, X):
        N, Phi, O, r = self.N, self.Phi, self.O, self.r
        if J in self.new:  # 2: every arm once
            self.mu_tilde[J] = self.noise.laplace(X, 1 / self.epsilon, name="reward")
            self.released(J)
            return
        N[J] += 1  # 5
        Phi[J] += X
        if N[J] == 2 ** (r[J] + 1):  # 6
            O[J] = 2 ** (r[J] + 1)  # 7
            self.mu_tilde[J] = self.noise.laplace(Phi[J], 1 / self.epsilon, name="Phi") / O[J]
            r[J] += 1
            N[J], Phi[J] = 0, 0

    def means(self):
        return self.mu_tilde, np.sqrt(2) / (self.epsilon * self.O)
