"""BROKEN (factor 10, clipping after the noise). The raw sum is noised for
sensitivity CAP = 10 and the result is clipped, but a record may be 100. Pair: [0]*20
and [100] + [0]*19. Event out >= 100 (upper clip is 200): e^(-10 EPSILON) / 2 against 1/2,
loss 10 EPSILON."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 5.0, 10.0, 100.0]
NEIGHBOURS = "replace"
CAP = 10.0


def f(data, rng):
    x = np.asarray(data, dtype=float)
    noisy = x.sum() + rng.laplace(0.0, CAP / EPSILON)
    return float(np.clip(noisy, 0.0, CAP * len(x)))
