"""Release a mean of 0/1 records, whose number is not public: half the budget each."""

DEFECT = "noise on the number of records only"
NEIGHBOURS = "remove,add"


def sound(data, generator):
    total = sum(data) + generator.laplace(scale=2.0)
    return total / max(1.0, len(data) + generator.laplace(scale=2.0))


def broken(data, generator):
    return sum(data) / max(1.0, len(data) + generator.laplace(scale=1.0))
