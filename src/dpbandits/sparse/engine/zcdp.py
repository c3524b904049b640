"""Zero-concentrated privacy (zCDP): the rho that a promise (epsilon, delta) leaves to be spent.

A rho-zCDP mechanism has Renyi divergence at most alpha rho at every order alpha > 1, so that
(docs/proofs/FL.md, Lemma A1; Canonne, Kamath and Steinke 2020, Proposition 12) it is
(epsilon, delta)-DP for

    delta = exp((alpha - 1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha/(alpha - 1),  any alpha > 1.

The order is searched in floating point; the inequality at that order is proved in balls.
"""

import math
from functools import cache

from flint import arb

from dpbandits.audit.balls import precision

GOLDEN = (math.sqrt(5) - 1) / 2
BITS = 128


def log_delta(rho: float, epsilon: float, order: float) -> float:
    """ln of the delta above."""
    above = order - 1
    return above * (order * rho - epsilon) - above * math.log1p(1 / above) - math.log(order)


def best_order(rho: float, epsilon: float) -> float:
    """The order with the least delta, by golden section over ln(alpha - 1)."""
    middle = math.log(max(epsilon / (2 * rho), 1e-3))
    low, high = middle - 10, middle + 10
    while high - low > 1e-7:
        third = GOLDEN * (high - low)
        left, right = high - third, low + third
        if log_delta(rho, epsilon, 1 + math.exp(left)) < log_delta(
            rho, epsilon, 1 + math.exp(right)
        ):
            high = right
        else:
            low = left
    return 1 + math.exp(low)


@precision(BITS)
def delta_of(rho: float, epsilon: float) -> arb:
    """A ball around a delta that rho-zCDP gives at epsilon."""
    order, rho, epsilon = arb(best_order(rho, epsilon)), arb(rho), arb(epsilon)
    power = (order - 1) * (order * rho - epsilon) + order * (1 - 1 / order).log()
    return power.exp() / (order - 1)


@cache
def largest_rho(epsilon: float, delta: float) -> float:
    """The largest rho (to 1e-12 of it) that is proved to give (epsilon, delta)."""
    if math.isinf(epsilon):
        return math.inf
    low, high = 0.0, epsilon  # pure epsilon-DP at best gives epsilon^2/2; beyond epsilon: never
    while delta_of(high, epsilon) <= delta:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = 0.5 * (low + high)
        if delta_of(middle, epsilon) <= delta:
            low = middle
        else:
            high = middle
    return low
