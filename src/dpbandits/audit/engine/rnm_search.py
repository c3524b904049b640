"""Floating-point search for the worst delta of report-noisy-max; `rnm` certifies what it finds.

Both searches return (|S|, counts before, counts after, doubt): no pair exceeds the one
returned by more than `doubt` (infinite if not all were looked at). `p` is `rnm.RnmParams`.

The integrals are Gauss-Legendre sums between cuts where the integrand is analytic: exact to
rounding, and one matrix product evaluates all pairs of multisets.
"""

from functools import cache
from itertools import combinations_with_replacement
from math import ceil, comb, inf, log

import numpy as np

from dpbandits.audit.selection import event_excess

SHIFT = {"replace": 2, "add-remove": 1}  # of the difference of two counts
MOST_WORK = 6e9  # multiply-adds: a few seconds
MOST_NODES = 1000  # per interval: more take longer to find than to use
ROUNDING = 1e-12  # of the sums, relative: 10 to 100 times what is seen
MOST_EPSILON = 500.0  # e^epsilon is a float


def families(adjacency: str, rounds: int):
    """(counts that the winning set S may have before, the others' T, shift of S, shift of T)."""
    if adjacency == "replace":
        return [(range(1, rounds + 1), range(rounds), -1, 1)]
    adding = (range(rounds + 1), range(rounds), 0, 1)
    removing = (range(1, rounds + 1), range(rounds + 1), -1, 0)
    return [adding, removing]


def affordable(scale: float, arms: int, rounds: int, epsilon: float) -> bool:
    if arms > 8 or epsilon > MOST_EPSILON or _nodes_per_interval(scale, arms) > MOST_NODES:
        return False
    pairs = sum(comb(rounds + m, m) * comb(rounds + arms - m, arms - m) for m in range(1, arms))
    if pairs > MOST_WORK:  # before the edges take all memory
        return False
    nodes = (len(_edges(scale, rounds)) - 1) * _nodes_per_interval(scale, arms)
    return nodes * pairs * 2 <= MOST_WORK


def _nodes_per_interval(scale: float, arms: int) -> int:
    return 8 + ceil(1.5 * arms * max(1.0, 1 / scale))


def _edges(scale: float, rounds: int) -> np.ndarray:
    """The line cut at every count, and beyond them into stretches of the noise's own scale."""
    tail = np.linspace(0, 30 * scale, 1 + ceil(30 * scale / max(1.0, scale)))[1:]
    return np.r_[-tail[::-1], np.arange(rounds + 1), rounds + tail]


@cache
def _grid(scale: float, arms: int, rounds: int):
    """Nodes and weights over the whole line, in units of counts, split at every integer."""
    x, w = np.polynomial.legendre.leggauss(_nodes_per_interval(scale, arms))
    edges = _edges(scale, rounds)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + x)).ravel(), (half * w).ravel()


def _law(noise: str, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distribution function and density of the noise of scale 1."""
    if noise == "gumbel":
        cdf = np.exp(-np.exp(-np.maximum(z, -30)))
        return cdf, np.exp(-np.maximum(z, -30)) * cdf
    tail = np.exp(-np.abs(z))
    if noise == "exponential":
        return np.where(z < 0, 0.0, -np.expm1(-np.maximum(z, 0))), np.where(z < 0, 0.0, tail)
    return np.where(z < 0, tail / 2, 1 - tail / 2), tail / 2


def _cdf_and_density(p):
    """F(x - c) and f(x - c) for every count c (rows) at every node."""
    nodes, weights = _grid(p.scale, p.arms, p.rounds)
    z = (nodes[None, :] - np.arange(p.rounds + 1)[:, None]) / p.scale
    cdf, density = _law(p.noise, z)
    return cdf, density / p.scale, weights


def enumerate_pairs(p, epsilon: float):
    """The largest P(S) - e^eps P'(S) over all multisets."""
    law = _cdf_and_density(p)
    best = (-np.inf, None)
    for size in range(1, p.arms):
        for s_range, t_range, s_shift, t_shift in families(p.adjacency, p.rounds):
            s_sets = _multisets(s_range, size)
            t_sets = _multisets(t_range, p.arms - size)
            for part in np.array_split(t_sets, 1 + len(t_sets) * len(law[2]) // 2**23):
                first = _wins(*law, s_sets, part)
                second = np.exp(epsilon) * _wins(*law, s_sets + s_shift, part + t_shift)
                excess = first - second
                i, j = np.unravel_index(excess.argmax(), excess.shape)
                if excess[i, j] > best[0]:
                    pair = (s_sets[i], part[j], s_sets[i] + s_shift, part[j] + t_shift)
                    doubt = ROUNDING * float(first[i, j] + second[i, j])
                    best = (excess[i, j], (size, pair, doubt))
    size, (s, t, s_after, t_after), doubt = best[1]
    return size, [*map(int, s), *map(int, t)], [*map(int, s_after), *map(int, t_after)], doubt


def _multisets(counts: range, size: int) -> np.ndarray:
    return np.array(list(combinations_with_replacement(counts, size)))


def _wins(cdf, density, weights, s_sets, t_sets) -> np.ndarray:
    """P(the winner is in S) for every pair of multisets: int prod_T F d(prod_S F)."""
    others = cdf[t_sets].prod(axis=1)
    leader = sum(
        density[s_sets[:, k]] * cdf[np.delete(s_sets, k, axis=1)].prod(axis=1)
        for k in range(s_sets.shape[1])
    )
    return (leader * weights) @ others.T


def two_counts(difference: int, shift: int) -> tuple[list[int], list[int]]:
    """Two counts at that difference, as small as can be, and their neighbours' `shift` lower."""
    after = [max(difference - shift, 0), max(shift - difference, 0)]
    before = [after[0] + (shift == 2), after[1] - 1]
    if before[1] < 0:
        before, after = [before[0] + 1, 0], [after[0] + 1, 1]
    return before, after


def climb(p, epsilon: float):
    """A good pair for many arms: two levels of counts, S of one or of all but one arm.

    Only a lower bound; the difference of the levels is searched by bisection on a unimodal curve.
    """
    shift = SHIFT[p.adjacency]
    best = None
    for size in sorted({1, p.arms // 2, p.arms - 1}):

        def levels(d, size=size):
            return [[x] * size + [y] * (p.arms - size) for x, y in two_counts(d, shift)]

        def value(d, levels=levels, size=size):
            return float(event_excess(*levels(d), size, p.scale, epsilon, p.noise))

        # beyond, all is decided
        reach = min(p.rounds, ceil(p.scale * (40 + epsilon + log(p.arms))) + shift)
        low, high = shift - reach, reach
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if value(middle + 1) > value(middle) else (low, middle)
        if best is None or value(low) > best[0]:
            best = (value(low), (size, *levels(low)))
    return *best[1], inf
