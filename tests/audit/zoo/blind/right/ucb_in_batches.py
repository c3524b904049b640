"""RIGHT. Positions are cut into disjoint batches of 5, so a replaced record lies in
one batch (parallel composition). In it (a, r) -> (a', r') moves the vector
(reward sums, counts) by at most |r| + |r'| + 2 <= 4 in L1; every entry gets
Laplace 4/EPSILON. The UCB index and the arm after each batch use noisy totals."""

import numpy as np

EPSILON = 2.0
DELTA = 0.0
RECORDS = [(a, r) for a in range(2) for r in (0.0, 0.5, 1.0)]
NEIGHBOURS = "replace"
BATCH = 5
SCALE = 4.0 / EPSILON


def f(data, rng):
    total, count, picks = np.zeros(2), np.zeros(2), []
    for start in range(0, len(data), BATCH):
        s, c = np.zeros(2), np.zeros(2)
        for arm, reward in data[start : start + BATCH]:
            s[int(arm)] += reward
            c[int(arm)] += 1
        total += s + rng.laplace(0.0, SCALE, size=2)
        count += c + rng.laplace(0.0, SCALE, size=2)
        n = np.maximum(count, 1.0)
        index = total / n + np.sqrt(2.0 * np.log(start + BATCH) / n)
        picks.append(int(np.argmax(index)))
    return picks
