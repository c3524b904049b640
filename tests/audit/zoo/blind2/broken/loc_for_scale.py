"""BROKEN (factor 4). The first argument of np.random.laplace is the location: the noise has
scale 1 and centre 1 / EPSILON. A replaced bit moves the sum by 1, so the loss is 1 against a
claim of 0.25."""

import numpy as np

EPSILON = 0.25
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"


def f(data, rng):
    return float(sum(data) + np.random.laplace(1 / EPSILON))
