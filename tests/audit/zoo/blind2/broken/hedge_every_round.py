"""BROKEN (factor 2.66 at five rounds, and it grows with the rounds). Every choice is an
exponential mechanism with the whole of EPSILON, and all choices after a round see it. Five
rounds whose first is (1, 0) or (0, 1) and whose others are (0, 1): the choices 0, 0, 0, 0, 0
have log ratio 2.66 against a claim of 1."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)]
NEIGHBOURS = "replace"


def f(data, rng):
    eta = EPSILON / 2
    gains = np.zeros(2)
    choices = []
    for reward in data:
        weights = np.exp(eta * (gains - gains.max()))
        choices.append(int(rng.choice(2, p=weights / weights.sum())))
        gains += reward
    return choices
