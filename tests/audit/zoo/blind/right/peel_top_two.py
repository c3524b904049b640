"""RIGHT. K rounds of report-noisy-max at EPSILON/K each: counts have sensitivity
1 under replacement, fresh Laplace scale 2/(EPSILON/K) = 2K/EPSILON, only the
index is kept. Removing the found items is a function of earlier outputs."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2, 3, 4]
NEIGHBOURS = "replace"
K = 2


def f(data, rng):
    counts = np.bincount(np.asarray(data, dtype=int), minlength=5)
    left = list(range(5))
    found = []
    for _ in range(K):
        noisy = [counts[i] + rng.laplace(0.0, 2.0 * K / EPSILON) for i in left]
        best = left[int(np.argmax(noisy))]
        found.append(best)
        left.remove(best)
    return found
