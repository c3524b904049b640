"""Rare events of Beta variables: exact candidates for "theta > y", for thinning.

A Beta(k + 1, n + 1) density is log-concave, so above y > its mode it lies under an exponential
curve. Candidates drawn from the curve and kept with probability density/curve are exactly the
draws above y. Curves of stochastically larger laws also serve for a whole family of smaller ones.
Tails below y are those of Beta(n + 1, k + 1) above 1 - y.
"""

import math

from dpbandits.core.compiled import jit
from dpbandits.core.noise import _stirling_tail, beta, uniform

_HALF_LOG_TWO_PI = 0.9189385332046727


@jit
def log_density(x, k, n):
    """ln of the Beta(k + 1, n + 1) density at x, accurate also for k + n beyond 1e12.

    Stirling's main terms are combined before logarithms are taken, so that nothing large cancels.
    """
    all_ = k + n + 1.0
    up = k * math.log1p((all_ * x - (k + 1.0)) / (k + 1.0)) if k > 0.0 else 0.0
    down = n * math.log1p((all_ * (1.0 - x) - (n + 1.0)) / (n + 1.0)) if n > 0.0 else 0.0
    spread = 0.5 * math.log(all_ * all_ * all_ / ((k + 1.0) * (n + 1.0)))
    tails = _stirling_tail(k + n) - _stirling_tail(k) - _stirling_tail(n)
    return up + down + spread + 1.0 - _HALF_LOG_TWO_PI + tails


@jit
def decay_above(k, n, y):
    """Rate of the exponential curve above y (not positive: y is below the mode)."""
    if y <= 0.0 or y >= 1.0:
        return -1.0
    return n / (1.0 - y) - k / y


@jit
def mass_above(k, n, y, decay):
    """Integral of the curve over (y, 1): a bound of P(Beta(k + 1, n + 1) > y)."""
    height = log_density(y, k, n)
    return math.exp(min(height, 700.0)) / decay * -math.expm1(-decay * (1.0 - y))


@jit
def dominates_smaller_means(k, n, y):
    """Whether above y this density exceeds those of all Beta(k' + 1, n' + 1), k' + n' = k + n, k' < k.

    The derivative of the log-density in k is ln(y/(1-y)) - psi(k + 1) + psi(n + 1); we use
    psi(k + 1) < ln(k + 1) and psi(n + 1) > ln(n + 1/2).
    """
    return y * (n + 0.5) >= (1.0 - y) * (k + 1.0)


@jit
def candidate_above(stream, y, decay):
    """A draw from the normalised curve on (y, 1)."""
    return y - math.log1p(uniform(stream) * math.expm1(-decay * (1.0 - y))) / decay


@jit
def keeps(stream, x, k, n, top_k, top_n, y, decay):
    """Accept candidate x for Beta(k + 1, n + 1) under the curve of Beta(top_k + 1, top_n + 1)."""
    curve = log_density(y, top_k, top_n) - decay * (x - y)
    return math.log(uniform(stream)) < log_density(x, k, n) - curve


@jit
def beta_below(stream, k, n, y):
    """Beta(k + 1, n + 1) given that it is at most y (by rejection: y should not be a rare bound)."""
    while True:
        x = beta(stream, k + 1.0, n + 1.0)
        if x <= y:
            return x


@jit
def beta_above(stream, k, n, y):
    """Beta(k + 1, n + 1) given that it is more than y (by rejection)."""
    while True:
        x = beta(stream, k + 1.0, n + 1.0)
        if x > y:
            return x
