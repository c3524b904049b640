"""RIGHT. Each choice has weights exp(eta G), G the gains so far. A replaced round moves each
entry of G by at most 1, so one choice loses at most 2 eta; at most T - 1 choices see it
(T is public under replacement), and eta = EPSILON / (2 T)."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.5, 1.0)]
NEIGHBOURS = "replace"


def f(data, rng):
    eta = EPSILON / (2 * len(data))
    gains = np.zeros(2)
    choices = []
    for reward in data:
        weights = np.exp(eta * (gains - gains.max()))
        choices.append(int(rng.choice(2, p=weights / weights.sum())))
        gains += np.clip(reward, 0.0, 1.0)
    return choices
