"""Release a noisy sum, with a generator for reproducible results."""

import numpy as np

DEFECT = "a fixed seed"


def sound(data, generator):
    return float(generator.laplace(sum(data), 1.0))


def broken(data, generator):
    generator = np.random.default_rng(7)
    return float(generator.laplace(sum(data), 1.0))
