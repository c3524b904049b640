"""Zero-concentrated DP: the (epsilon, delta) that rho-zCDP implies, and the largest rho for it.

A rho-zCDP mechanism has Renyi divergence at most alpha rho at every order alpha > 1, so that
(docs/proofs/FL.md, Lemma A1; Canonne, Kamath and Steinke 2020, Proposition 12) it is
(epsilon, delta)-DP for

    delta = exp((alpha - 1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha/(alpha - 1),  any alpha > 1.

The order is searched in floating point. At that order delta is computed with 50 digits (Python's
decimal rounds each operation correctly, exp and ln too) and rounded up to a float.
"""

import math
from decimal import Decimal, localcontext
from functools import cache

from dpbandits.core.bisection import last

DIGITS = 50


def best_order(rho: float, epsilon: float) -> float:
    """The order of the least delta, where the derivative of its logarithm changes its sign."""

    def falls(log_above: float) -> bool:
        above = math.exp(log_above)
        return (2 * above + 1) * rho - epsilon < math.log1p(1 / above)

    return 1 + math.exp(last(falls, -700.0, 700.0, 1e-12))


def delta_of(rho: float, epsilon: float) -> float:
    """A delta that rho-zCDP gives at epsilon, rounded up."""
    with localcontext() as context:
        context.prec = DIGITS
        order = Decimal(best_order(rho, epsilon))
        if order == 1:  # of the double precision: rho is too large for any delta below 1
            return 1.0
        exponent = (order - 1) * (order * Decimal(rho) - Decimal(epsilon))
        exponent += order * (1 - 1 / order).ln() - (order - 1).ln()
        nearest = float(min(exponent, Decimal(700)).exp())
    return math.nextafter(nearest, math.inf)


@cache
def largest_rho(epsilon: float, delta: float) -> float:
    """The largest rho (to 1e-12 of it) that is proved to give (epsilon, delta)."""
    return largest(delta_of, epsilon, delta)


def epsilon_of(rho: float, delta: float) -> float:
    """An epsilon (the largest, to 1e-12 of it) whose `largest_rho` is at most rho."""
    return spent(delta_of, rho, delta)


def largest(delta_of, epsilon: float, delta: float) -> float:
    """The largest rho whose delta_of(rho, epsilon) is at most delta."""
    if math.isinf(epsilon):
        return math.inf
    high = epsilon  # where delta is small, rho is at most about epsilon; else double it
    while delta_of(high, epsilon) <= delta:
        high *= 2
    rho = last(lambda rho: delta_of(rho, epsilon) <= delta, 1e-12 * epsilon, high)
    return rho * (1 - 1e-12)  # below the threshold, by more than rounding


def spent(delta_of, rho: float, delta: float) -> float:
    """The largest epsilon with delta_of(rho, epsilon) >= delta, so that no more than rho gives it
    (for delta up to 0.1; epsilon = 0 must give more than delta)."""
    low = high = rho
    while delta_of(rho, high) >= delta:
        high *= 2
    while delta_of(rho, low) < delta:
        low /= 2
    return last(lambda epsilon: delta_of(rho, epsilon) >= delta, low, high, 1e-12)
