"""A sound accountant for peeling and its repetition: composition of randomised responses.

Every (eps_i, 0)-DP step is dominated by randomised response with that eps_i, under adaptive
composition too (Kairouz, Oh and Viswanath 2015; Murtagh and Vadhan 2016 for unequal eps_i). The
loss of the composition lives on a lattice, so its delta is a finite sum, not a bound on a bound.

One peeling with a = lambda/xi is s noisy maxima of scores that move by lambda in either direction,
each 2a-DP, and s Laplace releases, each a-DP.
"""

import math
from functools import cache

import numpy as np


def composed_delta(epsilon: float, parts: tuple[tuple[float, int], ...]) -> float:
    """The delta at `epsilon` of composing `count` randomised responses of each given eps_i."""
    from scipy.special import gammaln, xlog1py, xlogy  # not at every start

    losses, logs = np.zeros(1), np.zeros(1)
    for eps_i, count in parts:
        truths, p = np.arange(count + 1), 1 / (1 + math.exp(-eps_i))
        ways = gammaln(count + 1) - (gammaln(truths + 1) + gammaln(count - truths + 1))
        log_mass = ways + xlogy(truths, p) + xlog1py(count - truths, -p)
        losses = np.add.outer(losses, eps_i * (2 * truths - count)).ravel()
        logs = np.add.outer(logs, log_mass).ravel()
    excess = np.minimum(epsilon - losses, 0.0)
    return float(np.sum(np.exp(logs) * -np.expm1(excess)))


def peeling_delta(epsilon: float, ratio: float, sparsity: int, steps: int = 1) -> float:
    """Delta at `epsilon` of `steps` peelings whose noise is lambda/ratio."""
    count = steps * sparsity
    return composed_delta(epsilon, ((2 * ratio, count), (ratio, count)))


@cache
def largest_ratio(epsilon: float, delta: float, sparsity: int, steps: int = 1) -> float:
    """The largest lambda/xi for which `steps` peelings are (epsilon, delta)-DP by this account."""
    low = epsilon / (3 * steps * sparsity)  # pure composition: always enough
    high = 2 * low
    while peeling_delta(epsilon, high, sparsity, steps) <= delta:
        low, high = high, 2 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        if peeling_delta(epsilon, middle, sparsity, steps) <= delta:
            low = middle
        else:
            high = middle
    return low * (1 - 1e-9)  # rounding of the sum above stays far below this
