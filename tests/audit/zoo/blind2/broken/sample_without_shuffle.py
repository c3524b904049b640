"""BROKEN (factor 2.9). The noise is for epsilon0 = log(1 + (e^EPSILON - 1) / RATE), as a
secret sample of RATE of the records would allow, but the sample is every fifth record, so the
first one is always in it. Pair: [0] and [1]: the loss is epsilon0 = 1.445 against 0.5."""

import math

import numpy as np

EPSILON = 0.5
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"

RATE = 0.2


def f(data, rng):
    epsilon0 = math.log(1 + (math.exp(EPSILON) - 1) / RATE)
    sample = data[:: int(1 / RATE)]
    noisy = sum(sample) + np.random.laplace(0, 1 / epsilon0)
    return float(noisy / RATE)
