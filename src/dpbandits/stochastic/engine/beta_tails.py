"""Beta variables for the Thompson engines: a fast sampler, and exact draws of "theta above y".

A Beta(k + 1, n + 1) density is log-concave, so above y > its mode it lies under an exponential
curve. Candidates drawn from the curve and accepted with probability density/curve are exactly the
draws above y. Curves of stochastically larger laws also serve for a whole family of smaller ones.
Tails below y are those of Beta(n + 1, k + 1) above 1 - y.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import inlined, jit
from dpbandits.core.variates import HALF_LOG_TWO_PI, stirling_tail, uniform

LOG_4 = 1.3862943611198906
OFTEN = 0.5  # an arm with candidates in more of the rounds than this is sampled in every round
ALWAYS = math.inf  # the rate of an arm that is sampled in every round


class Curves(NamedTuple):
    """One exponential curve per arm, which lies above the arm's density beyond a level."""

    log_height: np.ndarray  # at the level
    decay: np.ndarray  # rate at which it falls from there
    share: np.ndarray  # part of the whole exponential that lies below 1
    rate: np.ndarray  # candidates per round, -ln(1 - mass under the curve), or ALWAYS


@jit
def new_curves(arms):
    return Curves(np.empty(arms), np.empty(arms), np.empty(arms), np.empty(arms))


@jit
def beta(stream, k, n):
    """Beta(k + 1, n + 1), k and n at least 0: Cheng's BB (1978), about a third of two gammas.

    Cheng's first test, which saves a logarithm in every second draw, is left out: a branch that
    the processor cannot predict costs more.
    """
    if k == 0.0:
        return -math.expm1(math.log(uniform(stream)) / (n + 1.0))
    if n == 0.0:
        return uniform(stream) ** (1.0 / (k + 1.0))
    a, b = min(k, n) + 1.0, max(k, n) + 1.0
    both = a + b
    slope = math.sqrt((both - 2.0) / (2.0 * a * b - both))
    shift = a + 1.0 / slope
    while True:
        u = uniform(stream)
        v = slope * math.log(u / (1.0 - u))
        w = a * math.exp(v)
        z = math.log(u * u * uniform(stream))
        r = shift * v - LOG_4
        if a + r - w >= z or r + both * math.log(both / (b + w)) >= z:
            return (w if k <= n else b) / (b + w)


@jit
def beta_between(stream, k, n, low, high):
    """Beta(k + 1, n + 1) given that low < it <= high, by rejection; this must not be rare."""
    while True:
        x = beta(stream, k, n)
        if low < x <= high:
            return x


@jit
def log_density(x, k, n):
    """ln of the Beta(k + 1, n + 1) density at x, accurate also for k + n beyond 1e12.

    Stirling's main terms are combined before logarithms are taken, so that nothing large cancels.
    """
    all_ = k + n + 1.0
    up = k * math.log1p((all_ * x - (k + 1.0)) / (k + 1.0)) if k > 0.0 else 0.0
    down = n * math.log1p((all_ * (1.0 - x) - (n + 1.0)) / (n + 1.0)) if n > 0.0 else 0.0
    spread = 0.5 * math.log(all_ * all_ * all_ / ((k + 1.0) * (n + 1.0)))
    tails = stirling_tail(k + n) - stirling_tail(k) - stirling_tail(n)
    return up + down + spread + 1.0 - HALF_LOG_TWO_PI + tails


@jit
def set_curve(curves, j, k, n, y):
    """Set arm j's curve above y to that of Beta(k + 1, n + 1); return its rate (or ALWAYS)."""
    decay = n / (1.0 - y) - k / y if 0.0 < y < 1.0 else -1.0
    rate = ALWAYS
    if decay > 0.0:  # y is above the mode
        height, share = log_density(y, k, n), -math.expm1(-decay * (1.0 - y))
        mass = math.exp(min(height, 700.0)) / decay * share
        if mass < OFTEN:
            rate = -math.log1p(-mass)
        curves.log_height[j], curves.share[j] = height, share
    curves.decay[j], curves.rate[j] = decay, rate
    return rate


@jit
def dominates_smaller_means(k, n, y):
    """Whether above y this density exceeds that of every law with the same k + n and a smaller k.

    The derivative of the log-density in k is ln(y/(1-y)) - psi(k + 1) + psi(n + 1); we use
    psi(k + 1) < ln(k + 1) and psi(n + 1) > ln(n + 1/2).
    """
    return y * (n + 0.5) >= (1.0 - y) * (k + 1.0)


@inlined
def candidate_above(stream, curves, j, k, n, y):
    """A candidate of arm j's curve above y if Beta(k + 1, n + 1) accepts it, else -1."""
    decay = curves.decay[j]
    x = y - math.log1p(-uniform(stream) * curves.share[j]) / decay
    ratio = log_density(x, k, n) - curves.log_height[j] + decay * (x - y)
    return x if math.log(uniform(stream)) < ratio else -1.0
