"""RIGHT. Replay of logged (arm, reward) pairs. The arm a_t is a function of coins
and earlier noisy gains only. Given a_t, record t is read once, as
gain = reward * [arm == a_t] in [0, 1], with Laplace 1/EPSILON: replacing record t
changes one factor of the joint law, by at most e^EPSILON. The pull counter
counts a_t, not the data."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(a, r) for a in range(3) for r in (0.0, 0.5, 1.0)]
NEIGHBOURS = "replace"


def f(data, rng):
    pulls = np.zeros(3)
    gains = np.zeros(3)
    chosen = []
    for arm, reward in data:
        if rng.random() < 0.1:
            a = int(rng.integers(3))
        else:
            a = int(np.argmax(gains / np.maximum(pulls, 1)))
        gain = min(max(float(reward), 0.0), 1.0) if int(arm) == a else 0.0
        pulls[a] += 1
        gains[a] += gain + rng.laplace(0.0, 1.0 / EPSILON)
        chosen.append(a)
    return chosen
