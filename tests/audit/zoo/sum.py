"""Release a noisy sum."""

DEFECT = "half the declared noise"


def sound(data, generator):
    return sum(data) + generator.laplace(scale=1.0)


def broken(data, generator):
    return sum(data) + generator.laplace(scale=0.5)
