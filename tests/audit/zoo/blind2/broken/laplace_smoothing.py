"""BROKEN (factor 6.9). Add-one smoothing, not Laplace noise: ten rows are drawn with
probabilities (count + 1) / (n + 3). Pair: [0] and [1], all ten rows 0: each has probability
2/4 and 1/4, log ratio 10 log 2 = 6.93."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2]
NEIGHBOURS = "replace"

ROWS = 10


def f(data, rng):
    counts = np.bincount(data, minlength=3) + 1.0
    return np.random.choice(3, size=ROWS, p=counts / counts.sum()).tolist()
