"""RIGHT. Adding/removing a record moves the clipped sum by <= 1 and the count by
exactly 1. Two Laplace releases at EPSILON/2 each (scale 2/EPSILON); mean is the
ratio of the two noisy numbers. Total EPSILON (tight at x = 1)."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [-1.0, 0.0, 0.5, 1.0, 3.0]
NEIGHBOURS = "remove"


def f(data, rng):
    x = np.clip(np.asarray(data, dtype=float), 0.0, 1.0)
    half = EPSILON / 2
    noisy_sum = x.sum() + rng.laplace(0.0, 1.0 / half)
    noisy_n = len(x) + rng.laplace(0.0, 1.0 / half)
    mean = noisy_sum / max(noisy_n, 1.0)
    return float(np.clip(mean, 0.0, 1.0)), float(noisy_n)
