"""BROKEN (up to factor 2, wrong neighbour relation). Gumbel 1/EPSILON is right for
add/remove (counts all move one way); here neighbours are REPLACE. The law is
exp(EPSILON c_i)/Z. Pair, EPSILON = 1: [0]*4 (4, 0) and [1, 0, 0, 0] (3, 1) with the
third class empty. P(out = 1): 1/(e^4 + 2) = 0.0177 against e/(e^3 + e + 1) = 0.114,
log ratio 1.87 > 1."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2]
NEIGHBOURS = "replace"


def f(data, rng):
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3)
    noisy = counts + rng.gumbel(0.0, 1.0 / EPSILON, size=3)
    return int(np.argmax(noisy))
