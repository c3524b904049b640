"""BROKEN (unbounded, raw value after selection). The winner is chosen by exponential mechanism
(fine), and then its RAW number of votes is released. Pair: [0, 0, 0] and [0, 0] (one removed).
Event out = (0, 3): P = e^(3/2) / (e^(3/2) + 2) = 0.69 against 0."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2]
NEIGHBOURS = "remove"


def f(data, rng):
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3)
    w = np.exp(EPSILON * (counts - counts.max()) / 2.0)
    winner = int(rng.choice(3, p=w / w.sum()))
    return winner, int(counts[winner])
