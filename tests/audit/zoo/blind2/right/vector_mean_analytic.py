"""RIGHT. Each row is scaled to L2 norm at most 1 before the mean, so a replaced row moves
the mean by at most 2 / n (n is public under replacement). sigma is the upper end of a
bisection on the exact formula of Balle and Wang (2018) for the delta of the Gaussian
mechanism at EPSILON, which falls as sigma grows."""

from functools import cache

import numpy as np
from scipy.stats import norm

EPSILON = 1.0
DELTA = 1e-4
RECORDS = [(0.0, 0.0), (3.0, 4.0), (-1.0, 0.5), (0.6, -0.8)]
NEIGHBOURS = "replace"


def delta_of(sigma, sensitivity):
    a = sensitivity / (2 * sigma)
    b = EPSILON * sigma / sensitivity
    return norm.cdf(a - b) - np.exp(EPSILON) * norm.cdf(-a - b)


@cache
def calibrate(sensitivity):
    low, high = 1e-3 * sensitivity, 1e3 * sensitivity
    for _ in range(80):
        middle = (low + high) / 2
        if delta_of(middle, sensitivity) > DELTA:
            low = middle
        else:
            high = middle
    return high


def f(data, rng):
    rows = np.array(data, dtype=float)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.maximum(1.0, norms)
    sigma = calibrate(2.0 / len(rows))
    return (rows.mean(axis=0) + rng.normal(0.0, sigma, size=2)).tolist()
