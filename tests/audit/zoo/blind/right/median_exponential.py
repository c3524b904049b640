"""RIGHT. Exponential mechanism on the grid 0..10 with utility
u(c) = -|#{x < c} - n/2|. n is fixed under replacement and #{x < c} moves by at
most 1, so u has sensitivity 1; P(c) ~ exp(EPSILON u(c) / 2) is EPSILON-DP.
Subtracting the maximum of u is a common factor and cancels."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = list(range(11))
NEIGHBOURS = "replace"


def f(data, rng):
    x = np.asarray(data, dtype=float)
    grid = np.arange(11)
    below = np.array([np.count_nonzero(x < c) for c in grid])
    u = -np.abs(below - len(x) / 2.0)
    w = np.exp(EPSILON * (u - u.max()) / 2.0)
    return int(rng.choice(grid, p=w / w.sum()))
