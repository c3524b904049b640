"""RIGHT. x and y are clipped to [-1, 1]. A record adds (x^2, x y) to the two
moments, L1 norm at most 2 under add/remove; both get Laplace 2/EPSILON. Gradient
descent (50 steps) runs on the noisy moments only."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(x, y) for x in (-1.0, 0.5, 2.0) for y in (-1.0, 0.0, 1.0)]
NEIGHBOURS = "remove"


def f(data, rng):
    xy = np.clip(np.asarray(data, dtype=float).reshape(-1, 2), -1.0, 1.0)
    sxx = np.sum(xy[:, 0] ** 2)
    sxy = np.sum(xy[:, 0] * xy[:, 1])
    sxx, sxy = np.array([sxx, sxy]) + rng.laplace(0.0, 2.0 / EPSILON, size=2)
    sxx = max(sxx, 1.0)
    w = 0.0
    for _ in range(50):
        w -= 0.2 * (sxx * w - sxy) / sxx
    return float(w)
