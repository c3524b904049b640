"""RIGHT, (EPSILON, DELTA). Mean of values clipped to [0, 1], n public under
replacement: sensitivity 1/n. Classical Gaussian mechanism
sigma = sqrt(2 ln(1.25/DELTA)) / (n EPSILON), valid for EPSILON < 1 (here 0.5).
The final clip is post-processing."""

import numpy as np

EPSILON = 0.5
DELTA = 1e-5
RECORDS = [-2.0, 0.0, 0.25, 1.0, 4.0]
NEIGHBOURS = "replace"


def f(data, rng):
    x = np.clip(np.asarray(data, dtype=float), 0.0, 1.0)
    n = max(len(x), 1)
    sigma = np.sqrt(2.0 * np.log(1.25 / DELTA)) / (n * EPSILON)
    answer = x.sum() / n + rng.normal(0.0, sigma)
    return float(np.clip(answer, 0.0, 1.0))
