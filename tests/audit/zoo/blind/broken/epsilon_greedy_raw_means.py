"""BROKEN (the exploration rate is not privacy noise). The greedy arm is taken from raw means;
only the reported means are noised. Before reading record t the learner acts.
Pair (2 records): [(1, 1.0), (0, 0.0)] and [(1, 0.0), (0, 0.0)]. Second action: means (0, 1) against
a tie (arm 0). Event second action = 1: 0.95 against 0.05, log ratio 2.94 > 1; each further step
gives the same factor again."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(a, r) for a in range(2) for r in (0.0, 0.5, 1.0)]
NEIGHBOURS = "replace"


def f(data, rng):
    s, n, actions = np.zeros(2), np.zeros(2), []
    for arm, reward in data:
        if rng.random() < 0.1:
            actions.append(int(rng.integers(2)))
        else:
            actions.append(int(np.argmax(s / np.maximum(n, 1.0))))
        s[int(arm)] += reward
        n[int(arm)] += 1
    report = s + rng.laplace(0.0, 2.0 / EPSILON, size=2)
    return actions, report.tolist()
