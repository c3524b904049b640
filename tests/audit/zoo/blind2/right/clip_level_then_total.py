"""RIGHT. Half of EPSILON finds the clipping level: at most four noisy counts of "above the
level", each moving by at most 1, so scale 4 / (EPSILON / 2). The other half pays for the
total, clipped record by record at the level found, so it moves by at most that level,
which is itself a function of noisy counts (adaptive composition)."""

import numpy as np

EPSILON = 1.5
DELTA = 0.0
RECORDS = [0.5, 1.5, 3.0, 7.0, 20.0]
NEIGHBOURS = "remove"

LEVELS = [1.0, 2.0, 4.0, 8.0]


def f(data, rng):
    values = np.array(data, dtype=float)
    half = EPSILON / 2
    level = LEVELS[-1]
    for candidate in LEVELS:
        above = np.sum(values > candidate) + np.random.laplace(0, len(LEVELS) / half)
        if above <= 1:
            level = candidate
            break
    total = np.clip(values, 0, level).sum() + np.random.laplace(0, level / half)
    return level, float(total)
