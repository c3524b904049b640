"""BROKEN (answers not limited). Bar and queries are noised as in AboveThreshold
(2/EPSILON, 4/EPSILON), but the loop goes on after a positive with the same bar, for
all 12 queries: #{x >= c} and #{x < c}, c = 1..6, which a replacement moves in
opposite ways. Pair: [0,0,0,6,6,6] (all queries 3) and [6,0,0,6,6,6] (4 and 2). Event:
all ">=" above and all "<" below. Integrating over the bar noise: 1.32e-4 against
1.32e-3, log ratio 2.30 > 1 (the opposite event: 2.71)."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 3, 6]
NEIGHBOURS = "replace"
BAR = 3.0


def f(data, rng):
    x = np.asarray(data, dtype=int)
    bar = BAR + rng.laplace(0.0, 2.0 / EPSILON)
    answers = []
    for c in range(1, 7):
        for value in (np.count_nonzero(x >= c), np.count_nonzero(x < c)):
            noisy = value + rng.laplace(0.0, 4.0 / EPSILON)
            answers.append(bool(noisy > bar))
    return answers
