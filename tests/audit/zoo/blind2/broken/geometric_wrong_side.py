"""BROKEN (factor 4.5). The difference of two geometric draws of success p has decay 1 - p, which
must be e^-EPSILON; here p is e^-EPSILON. Pair: [] and [1]: loss log(1 / (1 - e^-EPSILON)) =
1.350 against 0.3."""

import math

import numpy as np

EPSILON = 0.3
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "remove"


def f(data, rng):
    p = math.exp(-EPSILON)
    noise = np.random.geometric(p) - np.random.geometric(p)
    return int(sum(data) + noise)
