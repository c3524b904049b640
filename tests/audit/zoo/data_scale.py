"""Release a noisy sum of records between 0 and 1."""

DEFECT = "the scale of the noise is the range of the data"
VALUES = [0.0, 0.25, 1.0]
RECORDS = 3


def sound(data, generator):
    return sum(data) + 1.0 * generator.laplace()


def broken(data, generator):
    return sum(data) + (max(data) - min(data)) * generator.laplace()
