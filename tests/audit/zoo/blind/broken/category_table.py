"""BROKEN (factor 2). Under REPLACE two cells move by 1 each, L1 sensitivity 2, but
each cell gets Laplace 1/EPSILON. Pair: [0, 0, 1] (2, 1, 0) and [1, 0, 1] (1, 2, 0).
Event cell0 >= 2 and cell1 <= 1: 1/4 against e^(-2 EPSILON)/4, loss 2 EPSILON. The
clamp at zero does not touch this event."""

import numpy as np

EPSILON = 0.9
DELTA = 0.0
RECORDS = [0, 1, 2]
NEIGHBOURS = "replace"


def f(data, rng):
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3).astype(float)
    counts += rng.laplace(0.0, 1.0 / EPSILON, size=3)
    np.maximum(counts, 0.0, out=counts)
    return counts.tolist()
