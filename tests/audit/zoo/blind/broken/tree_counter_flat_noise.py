"""BROKEN (factor 4 at n = 8, sensitivity over levels forgotten). Every node gets
Laplace 1/EPSILON, but a bit lies in log2(m) + 1 nodes. Pair, n = 8: [1]+[0]*7 and [0]*8.
out[0], out[1], out[3], out[7] are four single nodes with independent noise, each 1 against
0. Event all four >= 1: (1/2)^4 against (e^-EPSILON / 2)^4, loss 4 EPSILON."""

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
    for k in range(depth + 1):
        levels.append(level + rng.laplace(0.0, 1.0 / EPSILON, size=len(level)))
        if k < depth:
            level = level.reshape(-1, 2).sum(axis=1)
    out = []
    for t in range(1, n + 1):
        total, start = 0.0, 0
        for k in range(depth, -1, -1):
            if t >> k & 1:
                total += levels[k][start >> k]
                start += 1 << k
        out.append(float(total))
    return out
