"""RIGHT. Histogram over 4 parties; adding/removing a vote changes one cell by 1,
L1 sensitivity 1, so the noisy vector (Laplace 1/EPSILON per cell) is EPSILON-DP.
Winner, runner-up and gap are all read from that same noisy vector
(post-processing; nothing is drawn or read twice from the data)."""

import numpy as np

EPSILON = 0.8
DELTA = 0.0
RECORDS = [0, 1, 2, 3]
NEIGHBOURS = "remove"


def f(data, rng):
    counts = np.bincount(np.asarray(data, dtype=int), minlength=4).astype(float)
    noisy = counts + rng.laplace(0.0, 1.0 / EPSILON, size=4)
    first = int(np.argmax(noisy))
    rest = noisy.copy()
    rest[first] = -np.inf
    second = int(np.argmax(rest))
    return first, second, float(noisy[first] - noisy[second])
