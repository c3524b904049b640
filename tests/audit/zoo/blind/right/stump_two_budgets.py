"""RIGHT. E1 = E2 = EPSILON/2. Cut by exponential mechanism on minus the number of
errors (sensitivity 1 under replacement), weight exp(E1 u / 2): E1. Then, for the
chosen cut, the 2 x 2 table side x label has L1 sensitivity 2 under replacement,
Laplace 2/E2: E2. Leaf labels come from the noisy table. Adaptive composition
gives EPSILON."""

import numpy as np

EPSILON = 2.0
DELTA = 0.0
RECORDS = [(x, y) for x in range(5) for y in (0, 1)]
NEIGHBOURS = "replace"
E1 = E2 = EPSILON / 2


def f(data, rng):
    xy = np.asarray(data, dtype=int).reshape(-1, 2)
    x, y = xy[:, 0], xy[:, 1]
    cuts = np.arange(1, 5)
    u = -np.array([np.count_nonzero((x >= c) != (y == 1)) for c in cuts], dtype=float)
    w = np.exp(E1 * (u - u.max()) / 2.0)
    c = int(rng.choice(cuts, p=w / w.sum()))
    table = np.zeros((2, 2))
    np.add.at(table, ((x >= c).astype(int), y), 1.0)
    table += rng.laplace(0.0, 2.0 / E2, size=(2, 2))
    return c, int(np.argmax(table[0])), int(np.argmax(table[1]))
