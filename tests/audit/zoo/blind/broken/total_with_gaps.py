"""BROKEN (unbounded, NaN handling). np.clip keeps NaN, so one missing value makes the
released sum NaN. Pair: [0.5, 0.5] and [nan, 0.5]; event out is NaN: 0 against 1."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 0.5, 1.0, float("nan")]
NEIGHBOURS = "replace"


def f(data, rng):
    x = np.array(data, dtype=float)
    x = np.clip(x, 0.0, 1.0)
    noisy = x.sum() + rng.laplace(0.0, 1.0 / EPSILON)
    return float(noisy)
