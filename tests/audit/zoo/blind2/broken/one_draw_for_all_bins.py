"""BROKEN (no finite epsilon). rng.laplace without a size is one number, which NumPy adds to
every bin: the differences of the bins are exact. Pair: ["cat"] and ["dog"], bin 0 minus
bin 1 is 1 and -1."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = ["cat", "dog", "fish"]
NEIGHBOURS = "replace"


def f(data, rng):
    bins = np.array([data.count(name) for name in RECORDS], dtype=float)
    bins += rng.laplace(loc=0.0, scale=2.0 / EPSILON)
    return bins.tolist()
