"""BROKEN (factor 2, wrong sensitivity). Opinions are in [-1, 1]; replacing -1 by +1
moves the sum by 2, but the noise is Laplace 1/EPSILON. Pair: [1, 1, 1] and [-1, 1, 1],
sums 3 and 1, event out >= 3: 1/2 against e^(-2 EPSILON)/2, loss 2 EPSILON."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [-1.0, -0.5, 0.0, 0.5, 1.0]
NEIGHBOURS = "replace"


def f(data, rng):
    x = np.clip(np.asarray(data, dtype=float), -1.0, 1.0)
    sensitivity = 1.0
    return float(x.sum() + rng.laplace(0.0, sensitivity / EPSILON))
