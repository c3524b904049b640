"""RIGHT. Each salary is clipped to [0, 100], so replacing one record moves the
total by at most 100; Laplace scale 100/EPSILON gives exactly EPSILON. The second
currency is a function of the noisy total (post-processing), not a second query."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0.0, 20.0, 50.0, 100.0, 250.0]
NEIGHBOURS = "replace"
CAP = 100.0
RATE = 0.92


def f(data, rng):
    pay = np.clip(np.asarray(data, dtype=float), 0.0, CAP)
    usd = pay.sum() + rng.laplace(0.0, CAP / EPSILON)
    eur = RATE * usd
    return {"usd": usd, "eur": eur}
