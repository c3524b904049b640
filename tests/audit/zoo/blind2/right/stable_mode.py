"""RIGHT. The commonest letter is released exactly, but only if the noisy distance to a change
of it passes log(1 / (2 DELTA)) / EPSILON. The distance max(0, gap - 1) moves by at most 1.
If two neighbours have different commonest letters, both have gap at most 1 and distance 0,
so each releases a letter with probability at most DELTA; otherwise the answer is a function
of the noisy distance."""

import math

import numpy as np

EPSILON = 1.0
DELTA = 1e-2
RECORDS = ["a", "b", "c"]
NEIGHBOURS = "remove"


def f(data, rng):
    counts = np.array([data.count(letter) for letter in RECORDS])
    second, first = np.sort(counts)[-2:]
    distance = max(0, first - second - 1)
    if distance + rng.laplace(0, 1 / EPSILON) > math.log(1 / (2 * DELTA)) / EPSILON:
        return RECORDS[int(counts.argmax())]
    return None
