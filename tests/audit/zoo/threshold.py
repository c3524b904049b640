"""Say whether there are at least three ones."""

DEFECT = "the test reads the raw sum"


def noisy(data, generator):
    return sum(data) + generator.laplace(scale=1.0)


def sound(data, generator):
    count = noisy(data, generator)
    return round(count) if count >= 3 else "few"


def broken(data, generator):
    count = noisy(data, generator)
    return round(count) if sum(data) >= 3 else "few"
