"""RIGHT. Local randomized response: each true bit is kept with probability
e^EPSILON / (1 + e^EPSILON), flipped otherwise, with its own coin. Replacing one
person changes the law of one published bit, by a factor at most
keep / (1 - keep) = e^EPSILON (tight). n is public under replacement; the
estimate is a function of the published bits."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"


def f(data, rng):
    bits = np.asarray(data, dtype=int)
    keep = np.exp(EPSILON) / (1.0 + np.exp(EPSILON))
    flips = rng.random(len(bits)) >= keep
    said = np.where(flips, 1 - bits, bits)
    rate = (said.mean() - (1 - keep)) / (2 * keep - 1) if len(said) else 0.0
    return said.tolist(), float(rate)
