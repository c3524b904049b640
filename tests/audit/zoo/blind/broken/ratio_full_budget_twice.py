"""BROKEN (factor 2, budget split forgotten). Sum and count are both released with
Laplace 1/EPSILON, and one record with x = 1 moves both by 1. Pair: [1, 1] and [1].
Event sum >= 2 and n >= 2: 1/4 against (e^-EPSILON / 2)^2, loss 2 EPSILON."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 0.5, 1.0]
NEIGHBOURS = "remove"


def noisy(value, rng):
    return float(value + rng.laplace(0.0, 1.0 / EPSILON))


def f(data, rng):
    x = np.clip(np.asarray(data, dtype=float), 0.0, 1.0)
    s = noisy(x.sum(), rng)
    n = noisy(len(x), rng)
    return {"sum": s, "n": n, "mean": s / max(n, 1.0)}
