"""RIGHT. Replacing a record moves two histogram cells by 1: L1 sensitivity 2,
Laplace 2/EPSILON per cell. Negative cells are set to zero in place, a zero vector
falls back to uniform, then len(data) rows are sampled: n is public under
replacement."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = ["a", "b", "c", "d"]
NEIGHBOURS = "replace"


def f(data, rng):
    rows = [str(v) for v in data]
    hist = np.array([rows.count(v) for v in RECORDS], dtype=float)
    hist += rng.laplace(0.0, 2.0 / EPSILON, size=hist.size)
    hist[hist < 0] = 0.0
    if hist.sum() <= 0:
        hist[:] = 1.0
    hist /= hist.sum()
    return [RECORDS[i] for i in rng.choice(len(RECORDS), size=len(rows), p=hist)]
