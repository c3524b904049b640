"""BROKEN (no finite epsilon). The counts are noisy but the rows are sorted by the true ones, so
the order of the names is exact. Pair: ["blue"] lists blue first, ["gold"] lists gold first,
each with probability 1."""

from collections import Counter

EPSILON = 1.0
DELTA = 0.0
RECORDS = ["blue", "gold", "pink"]
NEIGHBOURS = "replace"


def f(data, rng):
    counts = Counter(dict.fromkeys(RECORDS, 0))
    counts.update(data)
    return [(name, count + rng.laplace(0, 2 / EPSILON)) for name, count in counts.most_common()]
