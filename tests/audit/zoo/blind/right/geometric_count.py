"""RIGHT. Count of positive answers, add/remove sensitivity 1. The helper returns
G1 - G2 with Gi iid geometric(1 - a), a = exp(-EPSILON): two-sided geometric law
P(k) = (1-a)/(1+a) a^|k|, whose ratio at shift 1 is at most 1/a = e^EPSILON. The
final max(0, .) is post-processing."""

import numpy as np

EPSILON = 0.7
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "remove"


def two_sided_geometric(rng, eps):
    p = 1.0 - np.exp(-eps)
    return int(rng.geometric(p)) - int(rng.geometric(p))


def f(data, rng):
    ones = sum(1 for x in data if int(x) == 1)
    return max(0, ones + two_sided_geometric(rng, EPSILON))
