"""The best of three scores by the exponential mechanism."""

import numpy as np

DEFECT = "the noisy score of the winner is published"
VALUES = [0, 1, 2]
RECORDS = 3


def noisy_counts(data, generator):
    return np.bincount(data, minlength=3) + generator.gumbel(scale=2.0, size=3)


def sound(data, generator):
    return int(noisy_counts(data, generator).argmax())


def broken(data, generator):
    noisy = noisy_counts(data, generator)
    return int(noisy.argmax()), float(noisy.max())
