"""Peeling's selections: in round i, the largest |v_j| + xi w_ij among the columns j that are left.

The noise w is, by the setting's `peeling`:

- GUMBEL: one Gumbel vector for all rounds of a step.
- FRESH: a Laplace vector for each round, as printed.
- REUSED: one sequence of Laplace vectors, which consecutive estimates share (as released).
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import exponential, laplace, normals

REUSED, FRESH, GUMBEL = 0, 1, 2
KINDS = {"reused": REUSED, "fresh": FRESH, "gumbel": GUMBEL}


@jit
def laplaces(stream, count):
    """An array of `count` standard Laplace variates."""
    values = np.empty(count)
    for j in range(count):
        values[j] = laplace(stream, 1.0)
    return values


@jit
def selection_noise(stream, kind, s, d):
    """Noise of scale 1 for one selection: s rows if it is FRESH, one for all rounds if GUMBEL."""
    if kind == FRESH:
        return laplaces(stream, s * d).reshape(s, d)
    noise = np.empty((1, d))
    for j in range(d):
        noise[0, j] = -math.log(exponential(stream))
    return noise


@jit
def release_noise(stream, kind, s):
    """Noise of scale 1 for the s values that are released."""
    return normals(stream, s) if kind == GUMBEL else laplaces(stream, s)


@jit
def winners(v, xi, noise, s):
    """The s selected columns, in order."""
    return certain_winners(v, xi, noise, s, np.zeros(len(v), np.bool_), 0.0)[0]


@jit
def certain_winners(v, xi, noise, s, inexact, slack):
    """The winners of the rounds that are certain, and the columns that leave the next one open.

    v may be off by `slack` where it is `inexact`. A column may then be the largest if it is within
    2 slack of the largest seen. A round is certain if v is exact at all such columns. At the first
    round that is not, those at which v must be made exact are returned; none if all are certain.
    """
    chosen, left = np.empty(s, np.int64), np.ones(len(v), np.bool_)
    for i in range(s):
        best, leader, w = -np.inf, -1, noise[min(i, len(noise) - 1)]
        for j in range(len(v)):
            noisy = abs(v[j]) + xi * w[j]
            if noisy > best and left[j]:
                best, leader = noisy, j
        if slack > 0:
            near = np.abs(v) + xi * w >= best - 2 * slack
            to_refine = np.flatnonzero(near & inexact & left)
            if len(to_refine) > 0:
                return chosen[:i], to_refine
        left[leader], chosen[i] = False, leader
    return chosen, chosen[:0]


@jit
def winners_of_fresh_noise(stream, sizes, s, xi):
    """The s selected columns for |v| = `sizes` and FRESH noise, drawn only where it can win.

    The columns of the largest sizes, s + sqrt(d) of them, get their noise in full; let the leader
    be the largest noisy one that is not selected yet. Any other column needs a Laplace number above
    `height`, the distance from the largest of the other sizes to the leader in units of xi. Each
    exceeds it with the same probability p, independently: the next column that does lies a
    geometric number of columns ahead, and its number is the height plus an exponential number, as
    the tail of the Laplace law has no memory. Where the height is negative every number is drawn.
    """
    d = len(sizes)
    count = min(d, s + math.ceil(math.sqrt(d)))
    order = np.argpartition(-sizes, min(count, d - 1))
    largest_other = 0.0
    for j in order[count:]:
        largest_other = max(largest_other, sizes[j])
    taken, chosen = np.zeros(d, np.bool_), np.empty(s, np.int64)
    for i in range(s):
        best, leader = -np.inf, -1
        for j in order[:count]:
            noisy = sizes[j] + xi * laplace(stream, 1.0)
            if noisy > best and not taken[j]:
                best, leader = noisy, j
        height = (best - largest_other) / xi if xi > 0 else -1.0
        rate = -math.log1p(-0.5 * math.exp(-height)) if height >= 0 else np.inf  # p = 1 - e^-rate
        place = count - 1.0
        while True:
            place += 1.0 + math.floor(exponential(stream) / rate)
            if not place < d:
                break
            j = order[int(place)]
            w = height + exponential(stream) if height >= 0 else laplace(stream, 1.0)
            noisy = sizes[j] + xi * w
            if noisy > best and not taken[j]:
                best, leader = noisy, j
        taken[leader], chosen[i] = True, leader
    return chosen
