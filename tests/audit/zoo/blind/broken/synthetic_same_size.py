"""BROKEN (unbounded, n leaked). Cells are noised correctly for add/remove, but the
number of sampled rows is len(data), which is private here. Pair: [0, 1] and [0];
event len(out) = 2: probability 1 against 0."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2]
NEIGHBOURS = "remove"


def f(data, rng):
    x = np.asarray(data, dtype=int)
    hist = np.bincount(x, minlength=3) + rng.laplace(0.0, 1.0 / EPSILON, size=3)
    hist = np.maximum(hist, 0.0) + 0.01
    rows = rng.choice(3, size=len(x), p=hist / hist.sum())
    return rows.tolist()
