"""RIGHT. Every field, whatever it holds, is mapped on its own to a number in
[0, 10] (unreadable or NaN -> 0, then clipped), so replacing one field moves the
sum by at most 10; Laplace 10/EPSILON. No exception escapes f."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 5.0, 10.0, 1e9, "7.5", "bad", None, float("nan")]
NEIGHBOURS = "replace"
TOP = 10.0


def read(field):
    try:
        value = float(field)
    except (TypeError, ValueError):
        return 0.0
    return 0.0 if np.isnan(value) else min(max(value, 0.0), TOP)


def f(data, rng):
    total = sum(read(field) for field in data)
    return float(total + rng.laplace(0.0, TOP / EPSILON))
