"""RIGHT. Binary-tree counter over a stream of bits, padded to a power of two m
(public: n is fixed under replacement). A bit sits in exactly one node on each of
L = log2(m) + 1 levels, and replacing it moves each of these by at most 1: L1
sensitivity L. Laplace L/EPSILON per node (added in place). The running totals are sums of
noisy nodes."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"


def f(data, rng):
    n = len(data)
    depth = int(np.ceil(np.log2(max(n, 1))))
    level = np.zeros(2**depth)
    level[:n] = np.asarray(data, dtype=float)
    levels = []
    for _ in range(depth + 1):
        levels.append(level.copy())
        level = level.reshape(-1, 2).sum(axis=1) if len(level) > 1 else level
    for nodes in levels:
        nodes += rng.laplace(0.0, (depth + 1) / EPSILON, size=len(nodes))
    out = []
    for t in range(1, n + 1):
        total, start = 0.0, 0
        for k in range(depth, -1, -1):
            if t >> k & 1:
                total += levels[k][start >> k]
                start += 1 << k
        out.append(total)
    return out
