"""RIGHT. Fix the noise of the other candidates: candidate i wins when its noise exceeds a
threshold that moves by at most 2 when one vote is replaced, and
P(noise > t + 2) >= exp(-2 / scale) P(noise > t) for exponential noise. scale = 2 / EPSILON;
only the winner is returned."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = ["north", "south", "west"]
NEIGHBOURS = "replace"


def f(data, rng):
    votes = np.array([sum(1 for d in data if d == name) for name in RECORDS])
    noisy = votes + rng.exponential(2 / EPSILON, size=len(RECORDS))
    return RECORDS[int(np.argmax(noisy))]
