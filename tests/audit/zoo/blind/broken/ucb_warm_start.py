"""BROKEN (unbounded, un-noised start). The first WARM records fill the per-arm
sums raw; noise is added only to later rewards, yet the choices are released and
the first one is a deterministic function of the warm records. Pair (4 warm + 1):
A = [(0,.5),(1,.5),(0,.5),(1,.5),(0,.5)], B = A with record 0 -> (0, 0). Under A
means tie, first choice 0; under B arm 1 is ahead, first choice 1. Probability 1 / 0."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(a, r) for a in range(2) for r in (0.0, 0.5, 1.0)]
NEIGHBOURS = "replace"
WARM = 4


def f(data, rng):
    sums, pulls, chosen = np.zeros(2), np.ones(2), []
    for t, (arm, reward) in enumerate(data):
        if t < WARM:
            sums[int(arm)] += reward
            pulls[int(arm)] += 1
            continue
        index = sums / pulls + np.sqrt(2.0 * np.log(t + 1) / pulls)
        a = int(np.argmax(index))
        gain = reward if int(arm) == a else 0.0
        sums[a] += gain + rng.laplace(0.0, 1.0 / EPSILON)
        pulls[a] += 1
        chosen.append(a)
    return chosen
