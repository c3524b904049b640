"""BROKEN (no finite epsilon). Gaussian noise for (EPSILON, 1e-5), claimed with delta 0. A shift
of 1 has log density ratio linear in the output, without bound. Pair: [0] and [1]."""

import math
import random

EPSILON = 0.9
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"


def f(data, rng):
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / EPSILON
    return sum(data) + random.gauss(0, sigma)
