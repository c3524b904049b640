"""BROKEN (factor 8.8). sigma = sqrt(1 / (2 rho)) with rho = EPSILON: the sum is rho-zCDP, which is
not (rho, DELTA)-DP. Pair: [0] and [1], shift 1 and sigma 1: the exact epsilon at 1e-5 is 4.38
against 0.5, and at EPSILON the exact delta is 0.24."""

import math

from scipy import stats

EPSILON = 0.5
DELTA = 1e-5
RECORDS = [0, 1]
NEIGHBOURS = "replace"


def f(data, rng):
    sigma = math.sqrt(1 / (2 * EPSILON))
    return float(sum(data) + stats.norm.rvs(scale=sigma, random_state=rng))
