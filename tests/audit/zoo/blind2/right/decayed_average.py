"""RIGHT. Noise of scale 1 / EPSILON goes to each reading, in [0, 1], before the average: a
replaced reading moves one noisy number by at most 1. The decayed average is computed from
the noisy readings. A difference of two exponentials of mean b is Laplace of scale b."""

import random

EPSILON = 2.0
DELTA = 0.0
RECORDS = [0.0, 0.25, 1.0]
NEIGHBOURS = "replace"

KEEP = 0.8


def f(data, rng):
    average = 0.0
    history = []
    for reading in data:
        noise = random.expovariate(EPSILON) - random.expovariate(EPSILON)
        average = KEEP * average + (1 - KEEP) * (reading + noise)
        history.append(average)
    return history
