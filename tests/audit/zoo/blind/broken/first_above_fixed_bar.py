"""BROKEN (factor 3, threshold not noised). Each of the 6 queries gets Laplace
2/EPSILON and the bar is exact, so every answer "below" costs up to EPSILON/2.
Pair: [6]*3 and [6]*4, bar 3: every query is 3 against 4. Event out = -1: (1/2)^6
against (e^(-EPSILON/2) / 2)^6, loss 3 EPSILON."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = list(range(7))
NEIGHBOURS = "remove"
BAR = 3.0


def f(data, rng):
    x = np.asarray(data, dtype=int)
    for c in range(6, 0, -1):
        answer = np.count_nonzero(x >= c) + rng.laplace(0.0, 2.0 / EPSILON)
        if answer > BAR:
            return c
    return -1
