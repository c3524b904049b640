"""BROKEN (factor 3). Each window of three readings has Laplace 1 / EPSILON, but a reading is in
three windows, each with noise of its own. Pair: [0, 0, 0] and [1, 0, 0]: three sums move by 1,
loss 3 EPSILON."""

import numpy as np

EPSILON = 0.6
DELTA = 0.0
RECORDS = [0.0, 0.5, 1.0]
NEIGHBOURS = "replace"

WINDOW = 3


def f(data, rng):
    readings = np.array(data, dtype=float)
    sums = []
    for end in range(1, len(readings) + 1):
        window = readings[max(0, end - WINDOW) : end]
        sums.append(float(window.sum() + np.random.laplace(0, 1 / EPSILON)))
    return sums
