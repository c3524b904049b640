"""BROKEN (no finite epsilon). A leaf with one class only returns it without noise. Pair:
[(0, 0), (0, 0)] always labels the left leaf 0; [(0, 1), (0, 0)] labels it 1 with probability
one half."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(x, y) for x in range(4) for y in (0, 1)]
NEIGHBOURS = "replace"


def label(leaf, rng):
    zeros = leaf.count(0)
    ones = leaf.count(1)
    if zeros == 0 or ones == 0:
        return 1 if ones else 0
    noisy = np.array([zeros, ones]) + rng.laplace(0, 2 / EPSILON, size=2)
    return int(noisy.argmax())


def f(data, rng):
    left = [y for x, y in data if x < 2]
    right = [y for x, y in data if x >= 2]
    return {"x < 2": label(left, rng), "x >= 2": label(right, rng)}
