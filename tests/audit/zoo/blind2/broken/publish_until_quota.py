"""BROKEN (no finite epsilon). Each day's number is noisy but publishing stops when the true
total reaches QUOTA, so the length of the list tells. Pair: [1, 1, 0] gives two numbers,
[0, 1, 0] gives three."""

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"

QUOTA = 2


def f(data, rng):
    sold = 0
    published = []
    for today in data:
        sold += today
        published.append(today + rng.laplace(0, 1 / EPSILON))
        if sold >= QUOTA:
            break
    return published
