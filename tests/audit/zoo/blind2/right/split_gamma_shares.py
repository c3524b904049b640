"""RIGHT. Each of n clients (public under replacement) adds the difference of two
Gamma(1 / n, b) draws. The n shares add up to the difference of two exponentials of mean b,
which is Laplace of scale b = CAP / EPSILON, and only the total leaves the aggregator. A
replaced value, clipped to [0, CAP], moves it by at most CAP."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 2.0, 5.0, 9.0, 14.0]
NEIGHBOURS = "replace"

CAP = 10.0


def client_message(value, clients, rng):
    scale = CAP / EPSILON
    share = rng.gamma(1 / clients, scale) - rng.gamma(1 / clients, scale)
    return min(max(value, 0.0), CAP) + share


def f(data, rng):
    messages = [client_message(value, len(data), rng) for value in data]
    return float(np.sum(messages))
