"""RIGHT. n, sum and sum of squares of values in [0, 1] each have add/remove
sensitivity at most 1; each is noised with Laplace 3/EPSILON (three times
EPSILON/3). Mean, variance and the 95% interval are functions of the three noisy
numbers."""

import numpy as np

EPSILON = 1.5
DELTA = 0.0
RECORDS = [0.0, 0.3, 0.6, 1.0]
NEIGHBOURS = "remove"


def f(data, rng):
    x = np.clip(np.asarray(data, dtype=float), 0.0, 1.0)
    exact = np.array([len(x), x.sum(), (x * x).sum()])
    n, s1, s2 = exact + rng.laplace(0.0, 3.0 / EPSILON, size=3)
    n = max(n, 1.0)
    mean = s1 / n
    var = max(s2 / n - mean * mean, 0.0) + 2.0 * (3.0 / EPSILON / n) ** 2
    half = 1.96 * np.sqrt(var / n)
    return float(mean - half), float(mean + half)
