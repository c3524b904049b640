"""RIGHT (scale 1/EPSILON, not 2/EPSILON, is enough here). argmax of counts +
Gumbel(1/EPSILON) has law P(i) = exp(EPSILON c_i) / Z. Neighbours are add/remove, so a
record of class j multiplies the weight of j by e^EPSILON and Z by a number in
[1, e^EPSILON]. So P'(j)/P(j) is in [1, e^EPSILON] and P'(i)/P(i) in
[e^-EPSILON, 1] for i != j. Hence EPSILON-DP; only the index is released."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = ["red", "green", "blue"]
NEIGHBOURS = "remove"


def f(data, rng):
    colours = [str(c) for c in data]
    counts = np.array([colours.count(c) for c in RECORDS], dtype=float)
    noisy = counts + rng.gumbel(0.0, 1.0 / EPSILON, size=len(RECORDS))
    return RECORDS[int(np.argmax(noisy))]
