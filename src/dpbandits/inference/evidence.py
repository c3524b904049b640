"""Evidence about a mean in [0, 1] from noisy sums of fresh rewards, valid at every moment.

Of an arm three numbers count: S, the sum of its releases, N, the rewards in them, and m, how many
releases they are. Each has Laplace noise of scale 1/eps. For |t| < eps

    exp(t S - N ln(1 - p + p e^t)) (1 - t^2/eps^2)^m

has mean at most 1 if the arm's mean is p; for t > 0 also if it is below p, for t < 0 if it is above
(docs/proofs/INFERENCE.md, Theorem 2). So a mixture over t > 0 is evidence that the mean is above p:
if it is not, Ville's inequality bounds the probability that the mixture ever reaches 1/alpha by
alpha, whatever rule chose the arms, their batches, and when to look. With t < 0 it is that of the
rewards 1 - x: N - S and 1 - p in place of S and p. A part of a mixture is below it, so terms can be
left out by what the data say.

Plain code on arrays, which numba compiles as it stands (core.compiled.jit_all).
"""

import math

import numpy as np

STEP, SPREAD = 0.35, 6  # t = 1/(1/eps + 1/e^z) for z in such steps; how fast weights fall with z
COARSE = 0.9  # the weight of the first grid; those between its points share the rest
MOST, LARGEST = 40.0, 12.0  # e^z goes up to MOST eps and LARGEST, with more grids further
KEPT = 0.05  # of the weight stays out of the mixture, at 1: two one-sided ones are multiplied
CELLS, PARTS, TOLERANCE = 12, 6, 0.05  # of the infimum over p


def mixture(epsilon, plays):
    """(t, ln of its weight): of a countable set that is dense in (0, eps), those that so many plays
    can use. The weights of the whole set sum to 1."""
    middle = math.log(0.5 * min(epsilon, 1.0))
    low = -math.log(2.0 * math.sqrt(max(plays, 1.0))) - middle
    grids = 1 + int(math.log2(max(plays, 1.0)) / 20.0)  # more and more, but slowly
    high = math.log(grids * min(MOST * epsilon, LARGEST)) - middle
    z, weight = np.zeros(0), np.zeros(0)
    for grid in range(grids):
        step, share, shift = STEP, COARSE, 0.0
        if grid > 0:
            step = STEP / 2.0 ** (grid - 1)
            share, shift = (1.0 - COARSE) / (grid * (grid + 1.0)), 0.5
        spread = SPREAD * STEP / step
        first = math.floor(low / step)
        places = np.arange(first, max(first, math.ceil(high / step)) + 1.0)  # one at least
        away = np.abs(places) + spread
        whole = 2.0 / spread - 1.0 / (spread * (spread + 1.0))  # the sum over all whole numbers
        z = np.concatenate((z, middle + step * (places + shift)))
        weight = np.concatenate((weight, math.log(share / whole) - np.log(away * (away + 1.0))))
    return 1.0 / (1.0 / epsilon + np.exp(-z)), weight


def log_mixture(S, N, m, p, t, weight, epsilon):
    """ln of the mixture at each p: that the mean is above p; all four are arrays of one length."""
    rise, lost, found = np.expm1(t), np.log1p(-((t / epsilon) ** 2)), np.empty(len(p))
    for k in range(len(p)):
        terms = t * S[k] - N[k] * np.log1p(p[k] * rise) + m[k] * lost + weight
        top = terms.max()
        found[k] = top + math.log(np.exp(terms - top).sum())
    return found


def above(S, N, m, p, t, weight, epsilon):
    """The same of one arm at many p, with KEPT of the weight at 1, so that it is never far below.
    With N - S and 1 - p: that its mean is below p."""
    same = np.ones(len(p))
    found = log_mixture(S * same, N * same, m * same, p, t, weight, epsilon)
    return np.logaddexp(math.log(KEPT), math.log1p(-KEPT) + found)


def apart(a, b, gap, enough, S, N, m, epsilon):
    """ln of the evidence that the mean of arm a is above that of arm b by more than `gap`: the
    infimum over p of (evidence that a's is above p + gap) x (evidence that b's is below p).

    What is returned is never above it: the first factor falls in p and the second rises, so that on
    a cell between two points the product is at least that of the right and the left end. Cells are
    divided until nothing is lost but TOLERANCE, up to `enough`.
    """
    t, weight = mixture(epsilon, max(N[a], N[b]))
    low, high = max(0.0, -gap), min(1.0, 1.0 - gap)
    near_a = min(max(S[a] / max(N[a], 1.0) - gap, low), high)
    near_b = min(max(S[b] / max(N[b], 1.0), low), high)
    points = np.empty(CELLS + 2)  # ascending
    points[0], points[-1], step = low, high, abs(near_a - near_b) / (CELLS - 1)
    for k in range(CELLS):
        points[k + 1] = min(near_a, near_b) + k * step
    larger, smaller = np.full(len(points), np.nan), np.empty(len(points))  # ln of both factors
    for _ in range(40):
        new = np.flatnonzero(np.isnan(larger))
        at = points[new]
        one = above(S[a], N[a], m[a], np.minimum(at + gap, 1.0), t, weight, epsilon)
        other = above(N[b] - S[b], N[b], m[b], 1.0 - at, t, weight, epsilon)
        for k in range(len(new)):
            larger[new[k]], smaller[new[k]] = one[k], other[k]
        cells = larger[1:] + smaller[:-1]
        wide = cells < min((larger + smaller).min(), enough) - TOLERANCE
        if not wide.any():
            break
        points, larger, smaller = divided(wide, points, larger, smaller)
    return cells.min()


def divided(wide, points, larger, smaller):
    """Each wide cell in PARTS: the points, and what is known at them; NaN at the new ones."""
    found, at = np.full((3, len(points) + (PARTS - 1) * wide.sum()), np.nan), 0
    for k in range(len(points)):
        found[0, at], found[1, at], found[2, at] = points[k], larger[k], smaller[k]
        at += 1
        if k < len(wide) and wide[k]:
            for part in range(1, PARTS):
                found[0, at] = points[k] + (points[k + 1] - points[k]) * (part / PARTS)
                at += 1
    return found[0], found[1], found[2]
