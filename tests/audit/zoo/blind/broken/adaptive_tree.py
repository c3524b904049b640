"""BROKEN (unbounded, un-noised branch). Node counts are noised with Laplace
LEVELS/EPSILON, but whether a node is split is decided by its RAW count, and the
list of nodes shows it. Pair: [0, 0, 0] and [0, 0] (one removed): the root is split
with probability 1 against 0. Event: more than one node in the output."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = list(range(8))
NEIGHBOURS = "remove"
LEVELS = 4
SPLIT = 3


def grow(x, lo, hi, rng):
    inside = x[(x >= lo) & (x < hi)]
    count = len(inside) + rng.laplace(0.0, LEVELS / EPSILON)
    nodes = [(lo, hi, float(count))]
    if hi - lo > 1 and len(inside) >= SPLIT:
        mid = (lo + hi) // 2
        nodes += grow(inside, lo, mid, rng)
        nodes += grow(inside, mid, hi, rng)
    return nodes


def f(data, rng):
    return grow(np.asarray(data, dtype=int), 0, 8, rng)
