"""RIGHT. An item is read twice: alone, inside its open block, and in its block's total. Both
readings move by at most 1 and have Laplace 2 / EPSILON, half of EPSILON each; the running
count adds up noisy numbers. n is public under replacement."""

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"

BLOCK = 3


def f(data, rng):
    scale = 2 / EPSILON
    finished = 0.0
    inside = 0.0
    block = 0
    published = []
    for t, x in enumerate(data, start=1):
        block += x
        inside += x + rng.laplace(0, scale)
        if t % BLOCK == 0:
            finished += block + rng.laplace(0, scale)
            block, inside = 0, 0.0
        published.append(finished + inside)
    return published
