"""Lazy-DP-TS (HU Algorithm 3), as printed; the comments give its line numbers.

Its epochs are those of Algorithm 1 (lines 2, 3 and 6 to 8 are lines 2, 3 and 5 to 7 there).
"""

import math
from functools import partial

from dpbandits.core.notions import PURE
from dpbandits.stochastic.anytime_lazy_ucb import AnytimeLazyUcb
from dpbandits.stochastic.rounds import bandit_algorithm
from dpbandits.stochastic.thompson import chance_of_largest


@bandit_algorithm("lazy-dp-ts", source="HU Algorithm 3", claim="HU-T4", notion=PURE)
class LazyDpTs(AnytimeLazyUcb):
    def index(self):
        bonus, beta = 3 * math.log(self.t) / self.epsilon, self.rng.beta
        clipped, theta = [], []
        for mu_tilde, n in zip(self.mu_tilde.tolist(), self.O.tolist(), strict=True):
            n = n or 1.0
            mu_bar = mu_tilde + bonus / n  # 4: Clip to [0, 1]
            mu_bar = 0.0 if mu_bar < 0 else 1.0 if mu_bar > 1 else mu_bar
            clipped.append((mu_bar, n))
            theta.append(beta(mu_bar * n + 1, (1 - mu_bar) * n + 1))
        self.clipped = clipped  # of this round's draws
        return theta

    def best(self, index, allowed=None):  # the same as that of arrays, but faster
        if allowed is None:
            return index.index(max(index))
        return max(allowed, key=index.__getitem__)

    def chance(self, J, allowed):
        if J in self.new:  # it is played in turn
            return 1.0
        return partial(chance_of_largest, self.clipped, J, allowed)
