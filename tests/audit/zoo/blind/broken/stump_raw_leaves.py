"""BROKEN (unbounded, second use of the raw data). The cut is drawn by exponential mechanism with
the whole EPSILON, the leaf labels are RAW majorities. Pair: [(0,1),(0,1),(0,0)] and
[(0,0),(0,1),(0,0)]: every cut leaves all records on the left. Event left label = 1:
probability 1 against 0."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(x, y) for x in range(5) for y in (0, 1)]
NEIGHBOURS = "replace"


def f(data, rng):
    xy = np.asarray(data, dtype=int).reshape(-1, 2)
    x, y = xy[:, 0], xy[:, 1]
    cuts = np.arange(1, 5)
    u = -np.array([np.count_nonzero((x >= c) != (y == 1)) for c in cuts], dtype=float)
    w = np.exp(EPSILON * (u - u.max()) / 2.0)
    c = int(rng.choice(cuts, p=w / w.sum()))
    left, right = y[x < c], y[x >= c]
    label = [int(2 * side.sum() > len(side)) for side in (left, right)]
    return c, label[0], label[1]
