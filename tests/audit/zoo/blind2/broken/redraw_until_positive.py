"""BROKEN (factor 1.83). Drawing again until the count is not negative divides the density by
P(not negative), which depends on the count: 1/2 for count 0, 1 - e^-EPSILON / 2 for count 1.
Pair: [] and [1], answers just above 0: ratio 2 e^EPSILON - 1, loss 0.367 against 0.2."""

EPSILON = 0.2
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "remove"


def f(data, rng):
    count = sum(data)
    noisy = count + rng.laplace(0, 1 / EPSILON)
    while noisy < 0:
        noisy = count + rng.laplace(0, 1 / EPSILON)
    return float(noisy)
