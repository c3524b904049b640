"""RIGHT. Recursive descent in a tree over 0..7. Numbers read: noisy total, then
one noisy left-child count per level: 1 + 3 = 4 numbers. Given the answers so far
the next node is fixed, and one added/removed record moves its count by at most 1.
Laplace scale 4/EPSILON each, adaptive composition 4 * EPSILON/4 = EPSILON."""

import numpy as np

EPSILON = 1.5
DELTA = 0.0
RECORDS = [0, 1, 2, 3, 4, 5, 6, 7]
NEIGHBOURS = "remove"
DEPTH = 3
SCALE = (DEPTH + 1) / EPSILON


def descend(x, lo, hi, rank, rng):
    if hi - lo == 1:
        return lo
    mid = (lo + hi) // 2
    left = np.count_nonzero((x >= lo) & (x < mid)) + rng.laplace(0.0, SCALE)
    if rank <= left:
        return descend(x, lo, mid, rank, rng)
    return descend(x, mid, hi, rank - left, rng)


def f(data, rng):
    x = np.asarray(data, dtype=int)
    total = len(x) + rng.laplace(0.0, SCALE)
    return descend(x, 0, 2**DEPTH, 0.5 * total, rng)
