"""BROKEN (no finite epsilon). The seed is made of the data, so that the same table always gets
the same answer: the output is a fixed function of the data. Pair: [0] and [1] have two
different answers, each with probability 1."""

import random

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2]
NEIGHBOURS = "replace"


def f(data, rng):
    private = random.Random(repr(sorted(data)))
    scale = 2 / EPSILON
    noise = private.expovariate(1 / scale) - private.expovariate(1 / scale)
    return sum(data) + noise
