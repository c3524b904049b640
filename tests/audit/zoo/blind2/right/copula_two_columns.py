"""RIGHT. A replaced row moves each column's histogram by 2 in L1 and the agreement, a sum of
terms in {-1, 0, 1}, by at most 2. Each of the three has a third of EPSILON, so Laplace
6 / EPSILON everywhere. n is public under replacement, and the made-up rows are drawn from
noisy numbers."""

import numpy as np
from scipy import stats

EPSILON = 1.5
DELTA = 0.0
RECORDS = [(x, y) for x in range(3) for y in range(3)]
NEIGHBOURS = "replace"

ROWS = 5


def f(data, rng):
    rows = np.array(data, dtype=int)
    scale = 6 / EPSILON
    cdfs = []
    for column in rows.T:
        counts = np.bincount(column, minlength=3) + rng.laplace(0, scale, size=3)
        counts = np.maximum(counts, 0.1)
        cdfs.append(np.cumsum(counts / counts.sum()))
    agreement = np.sign((rows[:, 0] - 1) * (rows[:, 1] - 1)).sum() + rng.laplace(0, scale)
    rho = np.sin(np.pi / 2 * np.clip(agreement / len(rows), -0.9, 0.9))
    z = rng.standard_normal((ROWS, 2))
    z[:, 1] = rho * z[:, 0] + np.sqrt(1 - rho**2) * z[:, 1]
    u = stats.norm.cdf(z)
    made = [np.minimum(np.searchsorted(cdf, u[:, i]), 2) for i, cdf in enumerate(cdfs)]
    return np.stack(made, axis=1).tolist()
