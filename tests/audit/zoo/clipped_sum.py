"""Release a noisy sum of records that are clipped to [0, 1]."""

import numpy as np

DEFECT = "clipped after adding up"
VALUES = [0.0, 0.5, 3.0]
RECORDS = 3


def sound(data, generator):
    return np.clip(data, 0, 1).sum() + generator.laplace(scale=1.0)


def broken(data, generator):
    return np.clip(sum(data), 0, len(data)) + generator.laplace(scale=1.0)
