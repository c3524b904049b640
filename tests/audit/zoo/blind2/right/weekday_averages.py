"""RIGHT. A record belongs to one weekday, so adding or removing it moves one sum by at
most CAP and one count by 1. Each gets half of EPSILON; the other weekdays do not move
(parallel composition), and the averages are computed from the noisy numbers."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(day, spent) for day in range(3) for spent in (0.0, 5.0, 10.0)]
NEIGHBOURS = "remove"

CAP = 10.0


def f(data, rng):
    totals = np.zeros(3)
    visits = np.zeros(3)
    for day, spent in data:
        totals[day] += min(max(spent, 0.0), CAP)
        visits[day] += 1
    totals += rng.laplace(scale=2 * CAP / EPSILON, size=3)
    visits += rng.laplace(scale=2 / EPSILON, size=3)
    return (totals / np.maximum(visits, 1.0)).tolist()
