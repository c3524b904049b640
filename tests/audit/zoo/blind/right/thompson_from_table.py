"""RIGHT. The 2 x 2 table arm x (failure, success) has add/remove L1 sensitivity 1;
every cell gets Laplace 1/EPSILON once. The 20 Thompson draws from Beta posteriors
use only the noisy table (post-processing, however many draws)."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(0, 0), (0, 1), (1, 0), (1, 1)]
NEIGHBOURS = "remove"


def f(data, rng):
    table = np.zeros((2, 2))
    for arm, reward in data:
        table[int(arm), int(reward)] += 1
    table += rng.laplace(0.0, 1.0 / EPSILON, size=table.shape)
    table = np.maximum(table, 0.0)
    plays = np.zeros(2, dtype=int)
    for _ in range(20):
        theta = rng.beta(table[:, 1] + 1.0, table[:, 0] + 1.0)
        plays[np.argmax(theta)] += 1
    return plays.tolist()
