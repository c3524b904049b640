"""Release the sum, the sum of squares and the number of ones."""

DEFECT = "each release gets the whole budget"
SUMS = (sum, lambda data: sum(x * x for x in data), lambda data: data.count(1))


def sound(data, generator):
    return [f(data) + generator.laplace(scale=3.0) for f in SUMS]


def broken(data, generator):
    return [f(data) + generator.laplace(scale=1.0) for f in SUMS]
