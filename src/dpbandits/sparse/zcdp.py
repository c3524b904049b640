"""Zero-concentrated DP: the largest rho for which rho-zCDP implies (epsilon, delta)-DP.

A rho-zCDP mechanism has Renyi divergence at most alpha rho at every order alpha > 1, so that
(docs/proofs/FL.md, Lemma A1; Canonne, Kamath and Steinke 2020, Proposition 12) it is
(epsilon, delta)-DP for

    delta = exp((alpha - 1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha/(alpha - 1),  any alpha > 1.

The order is searched in floating point; the inequality at that order is proved in balls.
"""

import math
from functools import cache

from flint import arb

from dpbandits.audit.balls import precision, upper

BITS = 128


def log_delta(rho: float, epsilon: float, order: float) -> float:
    """ln of the delta above."""
    above = order - 1
    return above * (order * rho - epsilon) - above * math.log1p(1 / above) - math.log(order)


def best_order(rho: float, epsilon: float) -> float:
    """The order with the least delta, searched over ln(alpha - 1)."""
    from scipy.optimize import minimize_scalar  # slow to import

    middle = math.log(max(epsilon / (2 * rho), 1e-3))
    result = minimize_scalar(
        lambda x: log_delta(rho, epsilon, 1 + math.exp(x)),
        bounds=(middle - 10, middle + 10),
        options={"xatol": 1e-8},
    )
    return 1 + math.exp(result.x)


@precision(BITS)
def delta_of(rho: float, epsilon: float) -> arb:
    """A ball around a delta that rho-zCDP gives at epsilon."""
    order, rho, epsilon = arb(best_order(rho, epsilon)), arb(rho), arb(epsilon)
    power = (order - 1) * (order * rho - epsilon) + order * (1 - 1 / order).log()
    return power.exp() / (order - 1)


@cache
def largest_rho(epsilon: float, delta: float) -> float:
    """The largest rho (to 1e-12 of it) that is proved to give (epsilon, delta)."""
    from scipy.optimize import brentq

    if math.isinf(epsilon):
        return math.inf
    high = epsilon  # where delta is small, rho is at most about epsilon; else double it
    while delta_of(high, epsilon) <= delta:
        high *= 2
    least = 1e-12 * epsilon
    rho = brentq(lambda rho: upper(delta_of(rho, epsilon)) - delta, least, high, xtol=1e-30)
    rho *= 1 - 1e-12  # below the root, by more than rounding
    while not delta_of(rho, epsilon) <= delta:
        rho *= 1 - 1e-12
    return rho
