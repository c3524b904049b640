"""BROKEN (composition of (EPSILON, DELTA) forgotten). SIGMA is calibrated for ONE release
of sensitivity 2; 16 noisy gradients are used and the path shows each of them. Pair: [10, 0, 0]
and [-10, 0, 0]: while |w| < 9 the clipped gradient sums differ by exactly 2 at every step, so the
pair is as far apart as N(0,1) and N(mu,1), mu = sqrt(16) * 2 / SIGMA =
0.4128 (SIGMA = 19.38). Exact delta at EPSILON = 0.5:
Phi(mu/2 - EPSILON/mu) - e^EPSILON Phi(-mu/2 - EPSILON/mu) = 0.0286, claimed 1e-5."""

import numpy as np

EPSILON = 0.5
DELTA = 1e-5
RECORDS = [-10.0, -1.0, 0.0, 1.0, 10.0]
NEIGHBOURS = "replace"
STEPS = 16
SIGMA = 2.0 * np.sqrt(2.0 * np.log(1.25 / DELTA)) / EPSILON


def f(data, rng):
    x = np.asarray(data, dtype=float)
    w, path = 0.0, []
    for _ in range(STEPS):
        grad = np.clip(w - x, -1.0, 1.0).sum() + rng.normal(0.0, SIGMA)
        w -= 0.05 * grad / max(len(x), 1)
        path.append(float(w))
    return path
