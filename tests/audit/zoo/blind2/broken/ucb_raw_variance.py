"""BROKEN (factor over 2). The batch mean is noisy but the bonus has the exact variance. Pair:
first batch rewards (0, 0) or (1, 0): the mean moves by 0.5 and the bonus by
sqrt(2 log 3 / 8) = 0.524 the same way, so the published index moves by 1.024 over noise of
scale 0.5 / EPSILON: loss 2.05 EPSILON."""

import math

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(a, b) for a in (0.0, 1.0) for b in (0.0, 1.0)]
NEIGHBOURS = "replace"

BATCH = 2


def f(data, rng):
    index = [math.inf, math.inf]
    log = []
    for start in range(0, len(data) - BATCH + 1, BATCH):
        arm = int(np.argmax(index))
        rewards = np.array([row[arm] for row in data[start : start + BATCH]])
        mean = (rewards.sum() + rng.laplace(0, 1 / EPSILON)) / BATCH
        seen = start + BATCH
        bonus = math.sqrt(2 * math.log(seen + 1) * rewards.var() / BATCH)
        index[arm] = float(mean + bonus)
        log.append((arm, index[arm]))
    return log
