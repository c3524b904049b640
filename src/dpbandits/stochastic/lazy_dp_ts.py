"""Lazy-DP-TS (HU Algorithm 3), as printed; the comments give its line numbers.

Its epochs are those of Algorithm 1 (lines 2, 3 and 6 to 8 are lines 2, 3 and 5 to 7 there).
"""

# ruff: noqa: E741  (O is the paper's name)
import math
from functools import partial

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.anytime_lazy_ucb import AnytimeLazyUcb
from dpbandits.stochastic.rounds import bandit
from dpbandits.stochastic.thompson import chance_of_largest


@bandit("lazy-dp-ts", source="HU Algorithm 3", claim="HU-T4", notion=PURE)
class LazyDpTs(AnytimeLazyUcb):
    def index(self):
        theta, O, bonus = [], np.maximum(self.O, 1), 3 * math.log(self.t) / self.epsilon
        self.laws = []  # of this round's draws
        for mu_tilde, n in zip(self.mu_tilde.tolist(), O.tolist(), strict=True):
            mu_bar = min(max(mu_tilde + bonus / n, 0), 1)  # 4: Clip to [0, 1]
            self.laws.append((mu_bar * n + 1, (1 - mu_bar) * n + 1))
            theta.append(self.rng.beta(*self.laws[-1]))
        return theta

    def chance(self, J, allowed):
        if self.new and J in self.new:  # it is played in turn
            return 1.0
        return partial(chance_of_largest, self.laws, J, allowed)
