"""BROKEN (budget not divided by K). Three rounds of Gumbel noisy max, each at the full
EPSILON (scale 2/EPSILON), on counts under replacement. A round alone can lose nearly
EPSILON and the rounds add up. Pair: [0]*10, counts (10,0,0,0,0,0), and [1]+[0]*9, counts
(9,1,0,0,0,0). Event found = [1, 5, 4], product of three softmaxes: 2.82e-7 against
1.97e-6, log ratio 1.94 > 1. Already at n = 4, (4,0,..) and (3,1,0,..), same event:
6.82e-4 against 2.56e-3, log ratio 1.32."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2, 3, 4, 5]
NEIGHBOURS = "replace"
K = 3


def f(data, rng):
    counts = np.bincount(np.asarray(data, dtype=int), minlength=6)
    left = list(range(6))
    found = []
    for _ in range(K):
        noisy = counts[left] + rng.gumbel(0.0, 2.0 / EPSILON, size=len(left))
        best = left[int(np.argmax(noisy))]
        found.append(best)
        left.remove(best)
    return found
