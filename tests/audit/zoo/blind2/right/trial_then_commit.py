"""RIGHT. The first half of the rounds (n is public under replacement) tries the arms in
turn: a round is in one arm's sum, clipped to [0, 1], and each sum gets Laplace 1 / EPSILON
once. The second half plays the arm with the best noisy mean and looks at no reward."""

import numpy as np

EPSILON = 0.7
DELTA = 0.0
RECORDS = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (4.0, -2.0)]
NEIGHBOURS = "replace"


def f(data, rng):
    n = len(data)
    trial = n // 2
    sums = np.zeros(2)
    pulls = np.ones(2)
    for t in range(trial):
        arm = t % 2
        sums[arm] += min(max(data[t][arm], 0.0), 1.0)
        pulls[arm] += 1
    means = (sums + np.random.laplace(0.0, 1.0 / EPSILON, 2)) / pulls
    chosen = int(np.argmax(means))
    return [t % 2 for t in range(trial)] + [chosen] * (n - trial)
