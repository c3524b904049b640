"""BROKEN (factor 2). Each one-hot bit is flipped with probability 1/(1 + e^EPSILON), but two
different answers differ in TWO bits, so EPSILON/2 per bit was needed. Pair: [0] and [1].
Event row 0 starts (1, 0): keep^2 against (1 - keep)^2, log ratio 2 EPSILON = 2."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2, 3]
NEIGHBOURS = "replace"


def f(data, rng):
    onehot = np.eye(4, dtype=int)[np.asarray(data, dtype=int)]
    flip = rng.random(onehot.shape) < 1.0 / (1.0 + np.exp(EPSILON))
    said = np.where(flip, 1 - onehot, onehot)
    q = 1.0 / (1.0 + np.exp(EPSILON))
    estimate = (said.sum(axis=0) - q * len(said)) / (1.0 - 2.0 * q)
    return said.tolist(), estimate.tolist()
