"""RIGHT. A ballot approves of any number of candidates, yet adding it raises every count by 0
or 1, so the threshold that a winner's noise must exceed moves by at most 1 (counts are
monotone) and Laplace 1 / EPSILON is enough when only the winner is returned."""

import itertools

import numpy as np

EPSILON = 0.9
DELTA = 0.0
RECORDS = list(itertools.product((0, 1), repeat=3))
NEIGHBOURS = "remove"


def f(data, rng):
    approvals = np.zeros(3)
    for ballot in data:
        approvals += ballot
    approvals += np.random.laplace(scale=1 / EPSILON, size=3)
    return int(approvals.argmax())
