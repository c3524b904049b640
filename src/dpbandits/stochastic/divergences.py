"""Divergences of Bernoulli laws and the upper confidence bounds that they make, by halving."""

import math

from dpbandits.core.search import last


def kl(p, q):
    return _part(p, q) + _part(1 - p, 1 - q)


def _part(p, q):
    if p <= 0:
        return 0.0
    return p * math.log(p / q) if q > 0 else math.inf


def kl_bound(p, level):
    """The logit of max{q: kl(p, q) <= level}, which differs also where q itself rounds to 1."""
    if p >= 1:
        return math.inf
    if p <= 0:
        return math.log(math.expm1(level)) if level < 700 else level
    negative_entropy = kl(p, 0.5) - math.log(2)

    def excess(x):
        odds = max(-x, 0.0) + math.log1p(math.exp(-abs(x)))
        return odds + (1 - p) * x + negative_entropy - level

    lowest = math.log(p / (1 - p))
    highest = (level - negative_entropy) / (1 - p) + 1
    return last(lambda x: excess(x) <= 0, lowest, highest) if excess(lowest) < 0 else lowest


def d_eps(x, y, epsilon):
    """inf over z in [x, y] of eps (z - x) + kl(z, y), for x <= y; its z in closed form."""
    if x >= y:
        return 0.0
    tilted = y * math.exp(-epsilon)
    z = tilted / (1 - y + tilted) if tilted > 0 else 0.0
    return kl(x, y) if z <= x else epsilon * (z - x) + kl(z, y)


def d_eps_bound(x, epsilon, level):
    """max{y: d_eps(x, y) <= level}."""
    if d_eps(x, 1.0, epsilon) <= level:
        return 1.0
    return last(lambda y: d_eps(x, y, epsilon) <= level, x, 1.0)
