"""BROKEN (pure claim, tail cut). Noise is Laplace 1/EPSILON cut to [-3, 3], so the
support is [count - 3, count + 3]. Pair: [1]*6 and [1]*5 (one removed). Event
out > 8.5: P(noise > 2.5) = e^-2.5 / 2 = 0.041 against 0 (largest output is 8).
DELTA is 0."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "remove"
BOUND = 3.0


def f(data, rng):
    count = float(np.sum(np.asarray(data, dtype=int)))
    noise = rng.laplace(0.0, 1.0 / EPSILON)
    noise = min(max(noise, -BOUND), BOUND)
    return count + noise
