"""RIGHT. Permute-and-flip (McKenna and Sheldon 2020): candidates in random
order, accept i with probability exp(EPSILON (q_i - max q) / 2). Counts have sensitivity
1 under replacement, so the law is EPSILON-DP. The best one has acceptance
probability 1, so the loop always returns."""

import numpy as np

EPSILON = 1.2
DELTA = 0.0
RECORDS = [0, 1, 2, 3]
NEIGHBOURS = "replace"


def f(data, rng):
    q = np.bincount(np.asarray(data, dtype=int), minlength=4)
    best = q.max()
    for i in rng.permutation(4):
        if rng.random() < np.exp(EPSILON * (q[i] - best) / 2.0):
            return int(i)
    return int(np.argmax(q))
