"""BROKEN (factor over 2.2 at five records). The mean gradient of the batch is clipped, not each
record's, and the noise is for a mean of clipped gradients, which moves by 2 CLIP / n. Pair:
(1, 10) or (1, -10) and four of (1, 0): the clipped mean goes from -CLIP to CLIP, five times
as far. The first weight alone, published, is Gaussian with shift over deviation 5 / NOISE =
1.25: exact epsilon 5.68 at DELTA, against a claim of 2.52 for all steps."""

import math

import numpy as np

STEPS = 4
CLIP = 1.0
NOISE = 4.0
DELTA = 1e-5
RHO = STEPS / (2 * NOISE**2)
EPSILON = RHO + 2 * math.sqrt(RHO * math.log(1 / DELTA))
RECORDS = [(x, y) for x in (-1.0, 1.0) for y in (-10.0, 0.0, 10.0)]
NEIGHBOURS = "replace"


def f(data, rng):
    x, y = np.array(data, dtype=float).T
    weight = 0.0
    path = []
    for _ in range(STEPS):
        gradient = np.mean(x * (weight * x - y))
        gradient = np.clip(gradient, -CLIP, CLIP)
        gradient += rng.normal(0, NOISE * 2 * CLIP / len(data))
        weight -= 0.1 * gradient
        path.append(float(weight))
    return path
