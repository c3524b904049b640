"""The candidate with most votes, as RNM-FTNL has it."""

import numpy as np

DEFECT = "a vote that moves changes two counts: noise for one"
VALUES = [0, 1, 2]
RECORDS = 3


def winner(data, generator, scale):
    counts = np.bincount(data, minlength=3)
    return int(np.argmax(counts + generator.laplace(scale=scale, size=3)))


def sound(data, generator):
    return winner(data, generator, 2.0)


def broken(data, generator):
    return winner(data, generator, 1.0)
