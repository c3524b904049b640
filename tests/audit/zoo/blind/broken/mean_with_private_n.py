"""BROKEN (unbounded log ratio, data-dependent scale). Under add/remove n is private, but
the scale is 1/(n EPSILON). Pair: [0, 1] (mean 1/2, scale 1/2) and [0] (mean 0,
scale 1), EPSILON = 1. Event out < -3: e^-7 / 2 against e^-3 / 2, log ratio 4; out < -t
gives t + 1."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 0.5, 1.0]
NEIGHBOURS = "remove"


def f(data, rng):
    x = np.clip(np.asarray(data, dtype=float), 0.0, 1.0)
    n = max(len(x), 1)
    return float(x.sum() / n + rng.laplace(0.0, 1.0 / (n * EPSILON)))
