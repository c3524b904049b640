"""RIGHT, (EPSILON, DELTA) by zCDP. Each of STEPS steps sums per-record gradients clipped
to [-1, 1]: replace sensitivity 2. Gaussian SIGMA per step costs 2^2/(2 SIGMA^2) zCDP;
SIGMA = 2 sqrt(STEPS / (2 RHO)) makes the whole RHO. RHO-zCDP implies
(RHO + 2 sqrt(RHO ln(1/DELTA)), DELTA), and RHO solves that = EPSILON:
sqrt(RHO) = sqrt(L + EPSILON) - sqrt(L), L = ln(1/DELTA)."""

import numpy as np

EPSILON = 1.0
DELTA = 1e-5
RECORDS = [-3.0, -1.0, 0.0, 1.0, 3.0]
NEIGHBOURS = "replace"
STEPS = 5
L = np.log(1.0 / DELTA)
RHO = (np.sqrt(L + EPSILON) - np.sqrt(L)) ** 2
SIGMA = 2.0 * np.sqrt(STEPS / (2.0 * RHO))


def f(data, rng):
    x = np.asarray(data, dtype=float)
    n = max(len(x), 1)
    w, path = 0.0, []
    for _ in range(STEPS):
        grad = np.clip(w - x, -1.0, 1.0).sum() + rng.normal(0.0, SIGMA)
        w -= 0.5 * grad / n
        path.append(float(w))
    return path
