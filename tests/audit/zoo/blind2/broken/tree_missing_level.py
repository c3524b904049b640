"""BROKEN (factor 2). A tree over n steps has floor(log2(n)) + 1 levels, but the noise is for
floor(log2(n)) of them. Pair: [0, 0] and [1, 0]: the first item is in the nodes [1] and
[1, 2], both published, each with Laplace 1 / EPSILON: loss 2 EPSILON."""

import math

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1]
NEIGHBOURS = "replace"


def f(data, rng):
    levels = max(1, int(math.log2(len(data))))
    exact = {}
    noisy = {}
    running = []
    for t, x in enumerate(data, start=1):
        level = 0
        node = x
        while t >> level & 1 == 0:
            node += exact.pop(level)
            noisy.pop(level)
            level += 1
        exact[level] = node
        noisy[level] = node + rng.laplace(0, levels / EPSILON)
        running.append(sum(noisy.values()))
    return running
