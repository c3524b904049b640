"""BROKEN (EPSILON + log 2). int() cuts the noise towards zero, so 0 collects both sides:
P(noise = 0) = 1 - e^-EPSILON but P(noise = 1) = e^-EPSILON (1 - e^-EPSILON) / 2. Pair: [] and
[1], answer 0: ratio 2 e^EPSILON, loss 1.193 against a claim of 0.5."""

EPSILON = 0.5
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "remove"


def f(data, rng):
    return sum(data) + int(rng.laplace(0, 1 / EPSILON))
