"""BROKEN (unbounded, second use of the raw data). The centre is a noisy mean (spends
EPSILON), the half width uses the raw standard deviation. Pair: [0, 0] and [1, 0];
half width (hi - lo)/2 is 0 against 1.96 * 0.5 / sqrt 2 = 0.69. Event hi - lo < 0.1:
probability 1 against 0."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 0.5, 1.0]
NEIGHBOURS = "replace"


def f(data, rng):
    x = np.clip(np.asarray(data, dtype=float), 0.0, 1.0)
    n = max(len(x), 1)
    centre = x.sum() / n + rng.laplace(0.0, 1.0 / (n * EPSILON))
    half = 1.96 * np.sqrt(((x - x.sum() / n) ** 2).sum() / n / n)
    return float(centre - half), float(centre + half)
