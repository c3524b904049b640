"""BROKEN (no finite epsilon). The noise is relative, so its size is the total's: a total of 0
is published as exactly 0, and a total of 5 is almost never. Pair: [0.0] and [5.0]."""

from scipy import stats

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 1.0, 5.0]
NEIGHBOURS = "replace"


def f(data, rng):
    total = sum(data)
    error = stats.laplace.rvs(scale=1 / EPSILON, random_state=rng)
    return float(total * (1 + error))
