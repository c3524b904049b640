"""BROKEN (factor sqrt 2, subtle). The author wants noise of STANDARD DEVIATION
1/EPSILON and so divides the scale by sqrt 2; Laplace needs SCALE 1/EPSILON. Pair: [1, 1, 1]
and [1, 1] (one removed). Event out >= 3: 1/2 against e^(-sqrt(2) EPSILON) / 2, loss
1.414 EPSILON."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "remove"


def f(data, rng):
    ones = int(np.count_nonzero(np.asarray(data, dtype=int) == 1))
    std = 1.0 / EPSILON
    scale = std / np.sqrt(2.0)
    return float(ones + rng.laplace(0.0, scale))
