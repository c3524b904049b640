"""RIGHT. A record adds 1 to one cell of each of two marginals: joint L1
sensitivity 2 under add/remove; all cells get Laplace 2/EPSILON. Twenty rows (a
constant, not n) are sampled from the product of the cleaned noisy marginals."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(a, b) for a in range(2) for b in range(3)]
NEIGHBOURS = "remove"
ROWS = 20


def noisy_marginal(column, size, rng):
    counts = np.bincount(column, minlength=size) + rng.laplace(0.0, 2.0 / EPSILON, size)
    counts = np.maximum(counts, 0.0) + 1e-3
    return counts / counts.sum()


def f(data, rng):
    table = np.asarray(data, dtype=int).reshape(-1, 2)
    pa = noisy_marginal(table[:, 0], 2, rng)
    pb = noisy_marginal(table[:, 1], 3, rng)
    a = rng.choice(2, size=ROWS, p=pa)
    b = rng.choice(3, size=ROWS, p=pb)
    return list(zip(a.tolist(), b.tolist(), strict=True))
