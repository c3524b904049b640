"""RIGHT. Laplace 1/EPSILON is added once to every entry of the stream of bits
(replacing one bit moves one entry by at most 1: EPSILON). The overlapping window
sums are computed from the noisy entries, so no factor for the window length is
needed."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"
WINDOW = 4


def f(data, rng):
    stream = np.array(data, dtype=float)
    stream += rng.laplace(0.0, 1.0 / EPSILON, size=stream.shape)
    run = np.concatenate([[0.0], np.cumsum(stream)])
    sums = []
    for t in range(1, len(stream) + 1):
        sums.append(float(run[t] - run[max(0, t - WINDOW)]))
    return sums
