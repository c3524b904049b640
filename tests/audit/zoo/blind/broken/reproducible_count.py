"""BROKEN (unbounded, seeded noise). The noise comes from a generator with a fixed seed,
so the output is a deterministic, injective function of the count. Pair: [1, 1] and
[1]; event out = f([1, 1]): probability 1 against 0."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "remove"
SEED = 2024


def laplace_noise(scale):
    local = np.random.default_rng(SEED)
    return local.laplace(0.0, scale)


def f(data, rng):
    count = int(np.sum(np.asarray(data, dtype=int)))
    return float(count + laplace_noise(1.0 / EPSILON))
