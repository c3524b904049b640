"""Divergences of Bernoulli laws and the upper confidence bounds that they make, without rounding.

A bound q = max{q in [0, 1]: kl(p, q) <= level} is its logit x = ln(q/(1 - q)): kl(p, q) =
ln(1 + e^x) - p x - H(p), with H the entropy, is convex in x and exact also where q itself would
round to 1. x = inf stands for q = 1. d_eps(x, y) = inf over z in [x, y] of eps (z - x) + kl(z, y).
"""

import math


def entropy(p):
    total = 0.0
    if p > 0.0:
        total -= p * math.log(p)
    if p < 1.0:
        total -= (1.0 - p) * math.log1p(-p)
    return total


def kl_at(p, x):
    """kl(p, q) at logit x of q."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x))) - p * x - entropy(p)


def kl_bound(p, level):
    """The logit of max{q: kl(p, q) <= level}, by Newton's method from above (no overshooting)."""
    if p >= 1.0:
        return math.inf
    if p <= 0.0:
        return math.log(math.expm1(level)) if level < 700.0 else level
    h = entropy(p)
    x = (level + h) / (1.0 - p)  # kl_at(p, x) >= level, because ln(1 + e^x) >= x
    pinsker = p + math.sqrt(0.5 * level)
    if pinsker < 1.0:
        x = min(x, math.log(pinsker / (1.0 - pinsker)))
    for _ in range(60):
        decay = math.exp(-abs(x))
        q = 1.0 / (1.0 + decay) if x > 0.0 else decay / (1.0 + decay)
        if q <= p:
            break
        step = (max(x, 0.0) + math.log1p(decay) - p * x - h - level) / (q - p)
        x -= step
        if step <= 1e-14 * (1.0 + abs(x)):
            break
    return x


def exceeds(p, level, x):
    """Whether the bound of (p, level) is above the one at logit x."""
    if p >= 1.0:
        return x < math.inf
    if x == math.inf:
        return False
    q = 1.0 / (1.0 + math.exp(-x))
    if p > q:
        return True
    if 2.0 * (q - p) ** 2 >= level:  # Pinsker: saves most of the logarithms
        return False
    return kl_at(p, x) < level


def leader(centres, levels):
    """The arm with the largest bound max{q: kl(centre, q) <= level}, the first of equals.

    A bound is solved for each new leader only; the other arms are compared with it.
    """
    arm = 0
    bound = kl_bound(centres[0], levels[0])
    for j in range(1, len(centres)):
        if centres[j] == centres[arm] and levels[j] == levels[arm]:
            continue  # an exact tie goes to the first, whatever rounding says
        if exceeds(centres[j], levels[j], bound):
            arm = j
            bound = kl_bound(centres[j], levels[j])
    return arm


def d_eps(x, y, epsilon):
    """kl(x, y) while |d kl/dx| <= eps; linear in x for smaller x; 0 for x >= y."""
    if x >= y:
        return 0.0
    shrunk = 1.0 - y + y * math.exp(-epsilon)
    if y * math.exp(-epsilon) > x * shrunk:
        return -epsilon * x - math.log(shrunk)
    if y >= 1.0:
        return math.inf
    return -x * math.log(y) - (1.0 - x) * math.log1p(-y) - entropy(x)


def d_eps_bound(x, epsilon, level):
    """The logit of max{y: d_eps(x, y) <= level}."""
    if x >= 1.0:
        return math.inf
    if epsilon == math.inf:
        return kl_bound(x, level)
    if x > 0.0:
        edge = math.log(x) - math.log1p(-x) + epsilon  # logit of the y at which kl turns linear
        if kl_at(x, edge) >= level:
            return kl_bound(x, level)
    reach = level + epsilon * x  # then 1 - y (1 - e^-eps) = e^-reach
    if reach >= epsilon:
        return math.inf
    return math.log(-math.expm1(-reach)) + reach - math.log(-math.expm1(reach - epsilon))
