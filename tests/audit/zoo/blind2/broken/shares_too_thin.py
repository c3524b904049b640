"""BROKEN (factor 2.4 at five clients, and it grows with them). Each of n clients adds noise of
deviation SIGMA / n and not SIGMA / sqrt(n), so the total has SIGMA / sqrt(n). SIGMA is right
for a shift of 1. Five clients, one replaced from 0 to 1: the exact epsilon at DELTA is 2.44
against 1."""

EPSILON = 1.0
DELTA = 1e-5
RECORDS = [0.0, 0.5, 1.0]
NEIGHBOURS = "replace"

SIGMA = 3.74  # of the analytic Gaussian mechanism


def f(data, rng):
    clients = len(data)
    total = 0.0
    for value in data:
        total += value + rng.normal(0, SIGMA / clients)
    return float(total)
