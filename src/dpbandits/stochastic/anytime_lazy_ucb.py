"""Anytime-Lazy-UCB (HU Algorithm 1), as printed; the comments give its line numbers."""

# ruff: noqa: E741  (O is the paper's name)
import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.rounds import Bandit, bandit


@bandit("anytime-lazy-ucb", source="HU Algorithm 1", claim="HU-T2", notion=PURE)
class AnytimeLazyUcb(Bandit):
    late = "round K + 1 needs the first reward of every arm"

    def start(self):
        K = self.K
        self.O, self.r, self.mu_tilde = np.ones(K), np.zeros(K, int), np.zeros(K)  # 2
        self.N, self.Phi = np.zeros(K), np.zeros(K)

    def act(self):
        self.t += 1  # 3
        self.J = self.t - 1 if self.t <= self.K else self.choose(self.t)  # 2: every arm once
        return self.J

    def choose(self, t):
        O, epsilon = self.O, self.epsilon
        mu_bar = self.mu_tilde + np.sqrt(3 * np.log(t) / O) + 3 * np.log(t) / (epsilon * O)  # 4
        return int(np.argmax(mu_bar))

    def waits(self):
        """Later ones may be late: each enters one epoch of its arm, that in which it comes."""
        return self.t == self.K

    def update(self, X):
        J, N, Phi, O, r = self.J, self.N, self.Phi, self.O, self.r
        if self.t <= self.K:
            self.mu_tilde[J] = self.noise.laplace(X, 1 / self.epsilon, name="reward")  # 2
            return
        N[J] += 1  # 5
        Phi[J] += X
        if N[J] == 2 ** (r[J] + 1):  # 6
            O[J] = 2 ** (r[J] + 1)  # 7
            self.mu_tilde[J] = self.noise.laplace(Phi[J], 1 / self.epsilon, name="Phi") / O[J]
            r[J] += 1
            N[J], Phi[J] = 0, 0
