"""`one_run` of ../dp_se_best.py, which says what it is."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import binomial, laplace
from dpbandits.stochastic.engine import record


@jit
def one_run(bandit, results, stream, end, epsilon, beta):
    left, e, t = np.arange(len(bandit.means)), 0, 0
    while len(left) > 1 and t < bandit.horizon:
        e += 1
        gap, size = 2.0**-e, len(left)
        sampling = math.log(8 * size * e**2 / beta)
        privacy = math.log(4 * size * e**2 / beta)
        R = math.ceil(max(32 * sampling / gap**2, 8 * privacy / (epsilon * gap)) + 1)
        mean = np.empty(size)
        for k, j in enumerate(left):
            until = min(t + R, bandit.horizon)
            record(bandit, results, j, t, until)
            t = until
            total = binomial(stream, np.int64(R), bandit.means[j]) + laplace(stream, 1 / epsilon)
            mean[k] = total / R
        if t == bandit.horizon:
            return
        width = math.sqrt(sampling / (2 * R)) + privacy / (R * epsilon)
        left = left[mean.max() - mean <= 2 * width]
    if t < bandit.horizon:
        end[0], end[1] = t, left[0]
        record(bandit, results, left[0], t, bandit.horizon)
