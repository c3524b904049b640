"""The worst delta of report-noisy-max with few arms, by enumeration of pairs of counts.

docs/proofs/AUDIT.md shows which pairs can be the worst; `rnm` computes the best of them again in
ball arithmetic. The integrals are Gauss-Legendre sums over intervals on which the integrand is
analytic: exact up to rounding.
"""

from functools import cache
from itertools import combinations_with_replacement
from math import ceil, comb

import numpy as np

MOST_WORK = 6e9  # multiply-adds: a few seconds
MOST_NODES = 1000  # per interval: more take too long to compute
ROUNDING = 1e-12  # relative, of the sums: 10 to 100 times the observed error
MOST_EPSILON = 500.0  # e^epsilon is a float


def families(adjacency: str, rounds: int):
    """[(range of the counts of the winning set S before the change, the same of its complement T,
    the change of the counts of S, of those of T)]."""
    if adjacency == "replace":
        return [(range(1, rounds + 1), range(rounds), -1, 1)]
    adding = (range(rounds + 1), range(rounds), 0, 1)
    removing = (range(1, rounds + 1), range(rounds + 1), -1, 0)
    return [adding, removing]


def few_enough(scale: float, arms: int, rounds: int, epsilon: float) -> bool:
    if arms > 8 or epsilon > MOST_EPSILON or _nodes_per_interval(scale, arms) > MOST_NODES:
        return False
    pairs = sum(comb(rounds + m, m) * comb(rounds + arms - m, arms - m) for m in range(1, arms))
    if pairs > MOST_WORK:  # `_edges` might take all memory
        return False
    nodes = (len(_edges(scale, rounds)) - 1) * _nodes_per_interval(scale, arms)
    return nodes * pairs * 2 <= MOST_WORK


def worst_pair(p, epsilon: float):
    """(|S|, counts before, counts after, error) of the largest P(S) - e^eps P'(S), P(S) being the
    probability that the winner is in S.

    No pair exceeds it by more than `error`. p: `rnm.RnmParams`.
    """
    law = _cdf_and_density(p)
    largest, worst = -np.inf, None
    for size in range(1, p.arms):
        for s_range, t_range, s_shift, t_shift in families(p.adjacency, p.rounds):
            s_sets, t_sets = _multisets(s_range, size), _multisets(t_range, p.arms - size)
            for part in np.array_split(t_sets, 1 + len(t_sets) * len(law[2]) // 2**23):
                first = _wins(*law, s_sets, part)
                second = np.exp(epsilon) * _wins(*law, s_sets + s_shift, part + t_shift)
                excess = first - second
                i, j = np.unravel_index(excess.argmax(), excess.shape)
                if excess[i, j] > largest:
                    before = [*s_sets[i].tolist(), *part[j].tolist()]
                    after = [*(s_sets[i] + s_shift).tolist(), *(part[j] + t_shift).tolist()]
                    error = ROUNDING * float(first[i, j] + second[i, j])
                    largest, worst = excess[i, j], (size, before, after, error)
    return worst


def _nodes_per_interval(scale: float, arms: int) -> int:
    return 8 + ceil(1.5 * arms * max(1.0, 1 / scale))


def _edges(scale: float, rounds: int) -> np.ndarray:
    """Cuts of the line: the counts, and beyond them steps of about the scale of the noise."""
    tail = np.linspace(0, 30 * scale, 1 + ceil(30 * scale / max(1.0, scale)))[1:]
    return np.r_[-tail[::-1], np.arange(rounds + 1), rounds + tail]


@cache
def _grid(scale: float, arms: int, rounds: int):
    """Nodes and weights over the whole line, in units of counts."""
    x, w = np.polynomial.legendre.leggauss(_nodes_per_interval(scale, arms))
    edges = _edges(scale, rounds)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + x)).ravel(), (half * w).ravel()


def _cdf_and_density(p):
    """F(x - c) and f(x - c) for every count c (rows) at every node, and the nodes' weights."""
    nodes, weights = _grid(p.scale, p.arms, p.rounds)
    z = (nodes[None, :] - np.arange(p.rounds + 1)[:, None]) / p.scale
    if p.noise == "gumbel":
        cdf = np.exp(-np.exp(-np.maximum(z, -30)))
        density = np.exp(-np.maximum(z, -30)) * cdf
    else:
        tail = np.exp(-np.abs(z))
        low, high = (0.0, tail) if p.noise == "exponential" else (tail / 2, tail / 2)
        cdf, density = np.where(z < 0, low, 1 - high), np.where(z < 0, low, high)
    return cdf, density / p.scale, weights


def _multisets(counts: range, size: int) -> np.ndarray:
    return np.array(list(combinations_with_replacement(counts, size)))


def _wins(cdf, density, weights, s_sets, t_sets) -> np.ndarray:
    """P(the winner is in S) = int prod_T F d(prod_S F) for all pairs of multisets (S, T)."""
    others = cdf[t_sets].prod(axis=1)
    leader = sum(
        density[s_sets[:, k]] * cdf[np.delete(s_sets, k, axis=1)].prod(axis=1)
        for k in range(s_sets.shape[1])
    )
    return (leader * weights) @ others.T
