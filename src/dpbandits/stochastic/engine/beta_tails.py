"""Beta variables for the Thompson engines: a quick sampler, and exact candidates for "theta > y".

A Beta(k + 1, n + 1) density is log-concave, so above y > its mode it lies under an exponential
curve. Candidates drawn from the curve and kept with probability density/curve are exactly the
draws above y. Curves of stochastically larger laws also serve for a whole family of smaller ones.
Tails below y are those of Beta(n + 1, k + 1) above 1 - y.
"""

import math

from dpbandits.core.compiled import jit
from dpbandits.core.noise import HALF_LOG_TWO_PI, _stirling_tail, uniform

_LOG_4 = 1.3862943611198906

# Columns of the arms' curves: log-height at the level, the rate at which an exponential falls from
# there, the share of it below 1, the rate of candidates per round, -ln(1 - mass under the curve).
HEIGHT, DECAY, SHARE, RATE = 0, 1, 2, 3
OFTEN = 0.5  # an arm that may exceed the level in more of the rounds is drawn in every round
ALWAYS = math.inf  # the rate of an arm that is drawn in every round


@jit
def beta(stream, k, n):
    """Beta(k + 1, n + 1), k and n at least 0: Cheng's BB (1978), about a third of two gammas.

    Without his first test, which spares a logarithm in every second draw: a coin that the
    processor cannot foresee costs more.
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
        r = shift * v - _LOG_4
        if a + r - w >= z or r + both * math.log(both / (b + w)) >= z:
            return (w if k <= n else b) / (b + w)


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
    return up + down + spread + 1.0 - HALF_LOG_TWO_PI + tails


@jit
def decay_above(k, n, y):
    """Rate of the exponential curve above y (not positive: y is below the mode)."""
    if y <= 0.0 or y >= 1.0:
        return -1.0
    return n / (1.0 - y) - k / y


@jit
def share_above(y, decay):
    """The part of an exponential that falls from y on which lies in (y, 1)."""
    return -math.expm1(-decay * (1.0 - y))


@jit
def mass_above(height, decay, share):
    """Integral over (y, 1) of the curve of log-height `height` at y: a bound of P(theta > y)."""
    return math.exp(min(height, 700.0)) / decay * share


@jit
def fill(curves, j, k, n, y, usable):
    """The curve above y of arm j's law Beta(k + 1, n + 1): its rate, ALWAYS if it is of no use."""
    decay, rate = decay_above(k, n, y), ALWAYS
    if decay > 0.0 and usable:
        curves[j, HEIGHT], curves[j, SHARE] = log_density(y, k, n), share_above(y, decay)
        mass = mass_above(curves[j, HEIGHT], decay, curves[j, SHARE])
        if mass < OFTEN:
            rate = -math.log1p(-mass)
    curves[j, DECAY], curves[j, RATE] = decay, rate
    return rate


@jit
def dominates_smaller_means(k, n, y):
    """Whether above y this density exceeds that of every law with the same k + n and a smaller k.

    The derivative of the log-density in k is ln(y/(1-y)) - psi(k + 1) + psi(n + 1); we use
    psi(k + 1) < ln(k + 1) and psi(n + 1) > ln(n + 1/2).
    """
    return y * (n + 0.5) >= (1.0 - y) * (k + 1.0)


@jit
def candidate_above(stream, y, decay, share):
    """A draw from the normalised curve on (y, 1)."""
    return y - math.log1p(-uniform(stream) * share) / decay


@jit
def keeps(stream, x, k, n, height, y, decay):
    """Accept candidate x for Beta(k + 1, n + 1) under a curve that starts at y."""
    return math.log(uniform(stream)) < log_density(x, k, n) - height + decay * (x - y)


@jit
def beta_below(stream, k, n, y):
    """Beta(k + 1, n + 1) given that it is at most y, by rejection: that must not be rare."""
    while True:
        x = beta(stream, k, n)
        if x <= y:
            return x


@jit
def beta_above(stream, k, n, y):
    """Beta(k + 1, n + 1) given that it is more than y, by rejection: that must not be rare."""
    while True:
        x = beta(stream, k, n)
        if x > y:
            return x
