"""NA-IMED (noise-aware IMED), an algorithm of our own: IMED on the likelihood of all noisy sums.

An arm is played in batches that grow with its plays, in the end by less than in proportion. After
a batch of b plays one noisy sum R = (sum of the rewards) + Lap(1/eps) is released, and its rewards
are forgotten. All that is decided is computed from the releases, so it is free. The law of a
release is that of Bin(b, mu) + Lap(1/eps), so the likelihood of all releases of arm k is known, and
knows how large the noise is (rewards that are not 0 or 1: a model, in which privacy has no part).
L_k(mu) is its logarithm plus ln(mu (1 - mu))/2.

A batch of arm k goes to the smallest f(d_k) + ln n_k, n_k the plays of arm k and
d_k = max L_k - L_k(mu*) the evidence against mu*, the largest of the most likely means.
docs/proofs/OURS.md proves privacy, that L_k is concave, and E n_k <= (1/d_eps + o(1)) ln T, which
no private policy can better (rewards 0 and 1, continuous noise, eps <= 50).
Ideas that it takes up: IMED (Honda and Takemura 2015), DP-IMED (Azize et al. 2025), which has its
constant up to a factor that can be chosen as near to 1 as one likes.
"""

import math

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.noisy_sums import log_posterior, most_likely
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import Phases, bandit_algorithm

# Batches: the first FIRST/eps long (LEAST/eps if T is small), then an arm's plays grow by a half;
# from 2^20 plays on a batch has n^POWER of n plays, so that in the end growth tends to 1
FIRST, LEAST, GROWTH, POWER = 8, 4, 1.5, 0.95
SHARPEST = 50.0  # a larger eps makes the noise no smaller as far as means are concerned
MOST = 136  # releases of an arm: more than 2^53 plays need


def offset(d):
    """f: a little more than d, since noise may hide the best arm; d + 2 at most (OURS.md)."""
    return d + min(0.3 * d, 2)


def likelihood(epsilon):
    """The eps of the likelihood."""
    return min(epsilon, SHARPEST)


def first_batch(epsilon, arms, horizon):
    """Shorter if T is known and small: T/(8 K), but LEAST/eps at least, and T/4 at most."""
    wished = math.ceil(FIRST / epsilon)
    if horizon is None:
        return max(1, wished)
    short = max(math.ceil(LEAST / epsilon), min(wished, horizon // (8 * arms)))
    return max(1, min(short, horizon // 4))


@bandit_algorithm(
    "na-imed",
    setting=StochasticSetting,
    source="dpbandits",
    claim="assumed: proved in docs/proofs/OURS.md, Section 1",
    notion=PURE,
    theorem="docs/proofs/OURS.md, Section 2",
)
class NaImed(Phases):
    grows = relative = True
    state = ("n", "count", "top", "highest", "sums", "sizes")

    def start(self):
        super().start()
        self.first = first_batch(self.epsilon, self.K, self.T)
        if self.T is not None:  # first batches take a third of the rounds, or are of two arms
            self.tried = min(self.K, max(2, self.T // (3 * self.first)))
            self.new = self.new[: self.tried]
        self.n, self.count = np.zeros(self.K, int), np.zeros(self.K, int)  # plays; releases
        self.top, self.highest = np.zeros(self.K), np.zeros(self.K)  # argmax and max of L
        self.sums, self.sizes = np.zeros((self.K, MOST)), np.zeros((self.K, MOST), int)

    def size(self, i):
        return max(self.first, math.ceil(min((GROWTH - 1) * self.n[i], self.n[i] ** POWER)))

    def release(self, i, total, b):
        at = self.count[i]
        self.sums[i, at], self.sizes[i, at] = total, b
        self.count[i], self.n[i] = at + 1, self.n[i] + b
        sums, sizes, eps = self.sums[i, : at + 1], self.sizes[i, : at + 1], likelihood(self.epsilon)
        self.top[i] = most_likely(sums, sizes, self.top[i] if at else 0.5, eps)
        self.highest[i] = log_posterior(sums, sizes, self.top[i], eps)

    def index(self):
        """-(f(d) + ln n), for all arms, mu* the best of those that can be played; ties, up to
        rounding, go to the first."""
        best, eps, index = (
            self.top[self.among].max(),
            likelihood(self.epsilon),
            np.full(self.K, math.inf),
        )
        for k, at in enumerate(self.count):
            if at > 0:
                d = 0.0
                if self.top[k] < best:
                    d = self.highest[k] - log_posterior(
                        self.sums[k, :at], self.sizes[k, :at], best, eps
                    )
                index[k] = offset(d) + np.log(self.n[k])
        return -np.round(index, 9)

    def unreleased(self):
        return np.flatnonzero(self.count == 0).tolist()

    def means(self):
        n = np.maximum(self.n, 1)
        return self.sums.sum(axis=1) / n, np.sqrt(2 * self.count) / (self.epsilon * n)
