"""RIGHT. Each record is kept by its own coin of probability RATE, and the total of the kept
ones, in [0, 1] each, gets Laplace noise for epsilon0. Poisson sampling gives
log(1 + RATE (e^epsilon0 - 1)) under adding or removing a record, and epsilon0 is chosen
so that this is EPSILON. A difference of two exponentials of mean b is Laplace of scale b."""

import math
import random

EPSILON = 0.6
DELTA = 0.0
RECORDS = [0.0, 0.5, 1.0]
NEIGHBOURS = "remove"

RATE = 0.5


def laplace(scale):
    return random.expovariate(1 / scale) - random.expovariate(1 / scale)


def f(data, rng):
    epsilon0 = math.log(1 + (math.exp(EPSILON) - 1) / RATE)
    kept = [x for x in data if random.random() < RATE]
    return (sum(kept) + laplace(1 / epsilon0)) / RATE
