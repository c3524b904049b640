"""Release the sums of two halves of the data: a record is in one of them."""

DEFECT = "one draw of noise for both"


def sound(data, generator):
    noise = generator.laplace(scale=1.0, size=2)
    return [sum(data[:2]) + noise[0], sum(data[2:]) + noise[1]]


def broken(data, generator):
    noise = generator.laplace(scale=1.0)
    return [sum(data[:2]) + noise, sum(data[2:]) + noise]
