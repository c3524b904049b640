"""Release a sum with Gaussian noise, (1, 1e-5)-DP."""

DEFECT = "sigma of another delta"
DELTA = 1e-5


def sound(data, generator):
    return sum(data) + generator.normal(scale=3.74)


def broken(data, generator):
    return sum(data) + generator.normal(scale=2.2)
