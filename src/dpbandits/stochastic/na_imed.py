"""NA-IMED (noise-aware IMED), an algorithm of our own: IMED on the likelihood of all noisy sums.

An arm is played in batches that grow with its plays. After a batch of b plays one noisy sum
R = (sum of the rewards) + Lap(1/eps) is released, and its rewards are forgotten. All that is
decided is computed from the releases, so it is free. The law of a release is that of
Bin(b, mu) + Lap(1/eps), so the likelihood of all releases of arm k is known, and knows how large
the noise is (rewards that are not 0 or 1: a model, in which privacy has no part). L_k(mu) is its
logarithm plus ln(mu (1 - mu))/2.

A batch of arm k goes to the smallest f(d_k) + ln n_k, n_k the plays of arm k and
d_k = max L_k - L_k(mu*) the evidence against mu*, the largest of the most likely means.
docs/proofs/OURS.md proves privacy, that L_k is concave, and E n_k <= (g/d_eps + o(1)) ln T
(rewards 0 and 1, continuous noise, eps <= 50).
Ideas that it takes up: IMED (Honda and Takemura 2015), DP-IMED (Azize et al. 2025).
"""

import math

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic import noisy_sums
from dpbandits.stochastic.problem import StochasticSetting
from dpbandits.stochastic.rounds import Phases, bandit

FIRST, GROWTH = 8, 1.5  # a first batch is FIRST/eps long, then an arm's plays grow by GROWTH
SHARE = 2  # where the horizon is known, all first batches together take at most T/SHARE
SHARPEST = 50.0  # a larger eps makes the noise no smaller as far as means are concerned


def offset(d):
    """f: a little more than d, since noise may hide the best arm; d + 2 at most (OURS.md)."""
    return d + min(0.3 * d, 2)


def first_batch(epsilon, arms, horizon):
    wished = math.ceil(FIRST / epsilon)
    return max(1, wished if horizon is None else min(wished, horizon // (SHARE * arms)))


@bandit(
    "na-imed",
    setting=StochasticSetting,
    source="dpbandits",
    claim="assumed: proved in docs/proofs/OURS.md, Section 1",
    notion=PURE,
)
class NaImed(Phases):
    grows = relative = True
    state = ("n", "top", "sums", "sizes")

    def start(self):
        super().start()
        self.eps = min(self.epsilon, SHARPEST)  # of the likelihood
        self.first = first_batch(self.epsilon, self.K, self.T)
        self.n, self.top = np.zeros(self.K, int), np.zeros(self.K)  # plays; argmax of L
        self.sums, self.sizes = [[] for _ in range(self.K)], [[] for _ in range(self.K)]

    def size(self, i):
        return max(self.first, math.ceil((GROWTH - 1) * self.n[i]))

    def release(self, i, total, b):
        self.sums[i].append(total)
        self.sizes[i].append(b)
        self.n[i] += b
        self.top[i] = self.most_likely(i)

    def index(self, allowed=slice(None)):
        """-(f(d) + ln n), for all arms, mu* the best of those that can be played; ties, up to
        rounding, go to the first."""
        best = self.top[allowed].max()
        index = [
            offset(self.log_posterior(k, self.top[k]) - self.log_posterior(k, best)) + math.log(n)
            if n
            else math.inf
            for k, n in enumerate(self.n)
        ]
        return -np.round(index, 9)

    def log_posterior(self, k, mu):
        return noisy_sums.log_posterior(self.sums[k], self.sizes[k], mu, self.eps)

    def most_likely(self, k):
        start = self.top[k] or 0.5
        return noisy_sums.most_likely(self.sums[k], self.sizes[k], start, self.eps)

    def means(self):
        releases, n = np.array([len(x) for x in self.sums]), np.maximum(self.n, 1)
        noise = np.sqrt(2 * releases) / (self.epsilon * n)
        return np.array([sum(x) for x in self.sums]) / n, noise
