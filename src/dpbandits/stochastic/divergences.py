"""Divergences of Bernoulli laws and the upper confidence bounds that they make, by root finding."""

import math

import numpy as np


def kl(p, q):
    from scipy.special import rel_entr  # loads slowly, and listing algorithms does not need it

    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def kl_bound(p, level):
    """The logit of max{q: kl(p, q) <= level}, which differs also where q itself rounds to 1."""
    from scipy.optimize import brentq

    if p >= 1:
        return math.inf
    if p <= 0:
        return math.log(math.expm1(level)) if level < 700 else level
    negative_entropy = kl(p, 0.5) - math.log(2)
    excess = lambda x: np.logaddexp(0, -x) + (1 - p) * x + negative_entropy - level  # noqa: E731
    lowest = math.log(p / (1 - p))
    highest = (level - negative_entropy) / (1 - p) + 1
    return brentq(excess, lowest, highest) if excess(lowest) < 0 else lowest


def d_eps(x, y, epsilon):
    """inf over z in [x, y] of eps (z - x) + kl(z, y), for x <= y; its z in closed form."""
    if x >= y:
        return 0.0
    tilted = y * math.exp(-epsilon)
    z = tilted / (1 - y + tilted) if tilted > 0 else 0.0
    return kl(x, y) if z <= x else epsilon * (z - x) + kl(z, y)


def d_eps_bound(x, epsilon, level):
    """max{y: d_eps(x, y) <= level}."""
    from scipy.optimize import brentq

    if d_eps(x, 1.0, epsilon) <= level:
        return 1.0
    return brentq(lambda y: d_eps(x, y, epsilon) - level, x, 1.0, xtol=1e-15)
