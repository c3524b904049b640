"""RIGHT. The splits of each tree are drawn without looking at the data. A record is in one
leaf and one class of each of the TREES trees, so adding or removing it moves all the counts
by TREES in L1, and each has Laplace TREES / EPSILON. The votes read the noisy counts."""

import numpy as np

EPSILON = 1.2
DELTA = 0.0
RECORDS = [(x, y) for x in range(5) for y in (0, 1)]
NEIGHBOURS = "remove"

TREES = 3


def f(data, rng):
    votes = np.zeros(5)
    for _ in range(TREES):
        cuts = np.sort(rng.choice(np.arange(1, 5), size=2, replace=False))
        leaves = np.zeros((3, 2))
        for x, y in data:
            leaves[np.searchsorted(cuts, x, side="right"), y] += 1
        leaves += rng.laplace(0, TREES / EPSILON, size=leaves.shape)
        for x in range(5):
            votes[x] += leaves[np.searchsorted(cuts, x, side="right")].argmax()
    return (votes > TREES / 2).astype(int).tolist()
