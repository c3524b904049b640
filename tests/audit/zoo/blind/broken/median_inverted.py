"""BROKEN (noise scale inverted). The utility has sensitivity 1 and
the weight should be exp(EPSILON u / 2) = exp(u/8); it is exp(u / (2 EPSILON)) =
exp(2 u). Pair: [0]*4 and [10, 0, 0, 0] -> see u: for c >= 1, u = -2 and u = -1; for
c = 0, u = -2 in both. P(out = 0): 1/11 against 1/(1 + 10 e^2), log ratio 1.92 against a
claim of 0.25."""

import numpy as np

EPSILON = 0.25
DELTA = 0.0
RECORDS = list(range(11))
NEIGHBOURS = "replace"


def f(data, rng):
    x = np.asarray(data, dtype=float)
    grid = np.arange(11)
    below = np.array([np.count_nonzero(x < c) for c in grid])
    u = -np.abs(below - len(x) / 2.0)
    scale = EPSILON
    w = np.exp((u - u.max()) / (2.0 * scale))
    return int(rng.choice(grid, p=w / w.sum()))
