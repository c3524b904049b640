"""RIGHT. Optimised unary encoding: the bit of the person's answer is sent as 1 with
probability 1/2, every other bit with probability q = 1 / (e^EPSILON + 1). Two answers
differ in two bits, and the worst ratio is (1/2)(1 - q) / (q (1/2)) = e^EPSILON. The
estimates use the sent bits only; n is public under replacement."""

import math

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2, 3]
NEIGHBOURS = "replace"


def f(data, rng):
    q = 1 / (math.exp(EPSILON) + 1)
    sent = np.zeros(4)
    for answer in data:
        chance = np.full(4, q)
        chance[answer] = 0.5
        sent += rng.random(4) < chance
    return ((sent - len(data) * q) / (0.5 - q)).tolist()
