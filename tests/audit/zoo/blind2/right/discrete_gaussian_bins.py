"""RIGHT. A record added or removed moves one bin by 1, so the counts with discrete
Gaussian noise of parameter SIGMA are 1 / (2 SIGMA^2)-zCDP (Canonne, Kamath and Steinke
2020), and rho-zCDP gives epsilon = rho + 2 sqrt(rho log(1 / DELTA)). The sampler is theirs:
a discrete Laplace proposal of scale t, kept with probability
exp(-(|y| - SIGMA^2 / t)^2 / (2 SIGMA^2)); it looks at no data."""

import math

import numpy as np

SIGMA = 3.0
DELTA = 1e-6
RHO = 1 / (2 * SIGMA**2)
EPSILON = RHO + 2 * math.sqrt(RHO * math.log(1 / DELTA))
RECORDS = ["bus", "tram", "bike"]
NEIGHBOURS = "remove"


def discrete_gaussian(sigma, rng):
    t = math.floor(sigma) + 1
    p = 1 - math.exp(-1 / t)
    while True:
        y = int(rng.geometric(p)) - int(rng.geometric(p))
        if rng.random() < math.exp(-((abs(y) - sigma**2 / t) ** 2) / (2 * sigma**2)):
            return y


def f(data, rng):
    counts = np.array([data.count(name) for name in RECORDS])
    return [int(c) + discrete_gaussian(SIGMA, rng) for c in counts]
