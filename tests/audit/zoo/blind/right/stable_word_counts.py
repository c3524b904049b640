"""RIGHT, (EPSILON, DELTA). Only words present are looked at. D' = D + one word w.
If w is already in D: the key set is equal and one count moves by 1: Laplace
1/EPSILON on it costs EPSILON, the threshold test is post-processing. If w is not
in D: the other keys have the same law in both, and w is shown under D' with
probability P(1 + Lap(1/EPSILON) > CUT) = exp(-EPSILON (CUT-1)) / 2 = DELTA, so
the laws are within total variation DELTA. Keys are walked in sorted order, so
the order of the dict says nothing about the order of the data."""

from collections import Counter

import numpy as np

EPSILON = 1.0
DELTA = 1e-4
RECORDS = ["ant", "bee", "cat", "dog"]
NEIGHBOURS = "remove"
CUT = 1.0 + np.log(1.0 / (2.0 * DELTA)) / EPSILON


def f(data, rng):
    tally = Counter(str(w) for w in data)
    words = sorted(tally)
    noisy = np.array([tally[w] for w in words], dtype=float)
    noisy += rng.laplace(0.0, 1.0 / EPSILON, size=len(words))
    return {w: float(v) for w, v in zip(words, noisy, strict=True) if v > CUT}
