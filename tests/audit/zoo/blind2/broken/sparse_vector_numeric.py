"""BROKEN (factor 2.5). The noisy count that passed the bar is published with the noise it was
compared with. Pair: [] and [10], every count 0 and 1. For an answer v <= 0 at the last level
the noisy bar is below v, so each of the nine failed comparisons and the density of v change
by exactly e^(EPSILON / 4): loss 10 EPSILON / 4."""

EPSILON = 1.0
DELTA = 0.0
RECORDS = list(range(1, 11))
NEIGHBOURS = "remove"


def f(data, rng):
    bar = 1.0 + rng.laplace(0, 2 / EPSILON)
    for level in range(1, 11):
        noisy = sum(1 for x in data if x >= level) + rng.laplace(0, 4 / EPSILON)
        if noisy >= bar:
            return level, float(noisy)
    return None
