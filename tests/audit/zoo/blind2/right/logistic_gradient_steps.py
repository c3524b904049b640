"""RIGHT. In each of STEPS steps every record's gradient is clipped to norm CLIP before the
sum, so adding or removing a record moves the sum by at most CLIP and the step is
1 / (2 NOISE^2)-zCDP. STEPS of them are RHO-zCDP, and EPSILON follows from RHO and DELTA. The
step size does not depend on the number of records."""

import math

import numpy as np

STEPS = 4
CLIP = 1.0
NOISE = 5.0
DELTA = 1e-5
RHO = STEPS / (2 * NOISE**2)
EPSILON = RHO + 2 * math.sqrt(RHO * math.log(1 / DELTA))
RECORDS = [(x, y) for x in (-3.0, 0.0, 2.0) for y in (0, 1)]
NEIGHBOURS = "remove"


def f(data, rng):
    weights = np.zeros(2)
    for _ in range(STEPS):
        total = np.zeros(2)
        for x, y in data:
            features = np.array([1.0, x])
            probability = 1 / (1 + np.exp(-features @ weights))
            gradient = (probability - y) * features
            total += gradient * min(1.0, CLIP / max(np.linalg.norm(gradient), 1e-12))
        total += rng.normal(0, NOISE * CLIP, size=2)
        weights = weights - 0.1 * total
    return weights.tolist()
