"""RIGHT. AboveThreshold with one positive: threshold + Lap(2/EPSILON), each query +
fresh Lap(4/EPSILON), stop at the first query above. Each query #{x >= c} has
sensitivity 1 under replacement. Standard proof (Dwork-Roth Thm 3.23): shift the
threshold noise by 1 (cost EPSILON/2) and the last query's noise by 2 (cost
2 / (4/EPSILON) = EPSILON/2)."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2, 3, 4, 5]
NEIGHBOURS = "replace"
LIMIT = 4


def f(data, rng):
    x = np.asarray(data, dtype=int)
    bar = LIMIT + rng.laplace(0.0, 2.0 / EPSILON)
    for c in range(5, 0, -1):
        answer = np.count_nonzero(x >= c) + rng.laplace(0.0, 4.0 / EPSILON)
        if answer >= bar:
            return c
    return -1
