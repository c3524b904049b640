"""RIGHT. A record is in one node of each of the four levels (8, 4, 2 and 1 nodes), so adding
or removing it moves the tree by 4 in L1 and each node gets Laplace 4 / EPSILON once. Every
range is added up from noisy nodes."""

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = list(range(8))
NEIGHBOURS = "remove"

LEVELS = 4
RANGES = [(0, 3), (2, 7), (1, 8), (5, 6)]


def answer(tree, low, high):
    total = 0.0
    while low < high:
        level = 0
        while level + 1 < LEVELS and low % 2 ** (level + 1) == 0 and low + 2 ** (level + 1) <= high:
            level += 1
        total += tree[level][low >> level]
        low += 2**level
    return float(total)


def f(data, rng):
    counts = np.bincount(np.array(data, dtype=int), minlength=8).astype(float)
    tree = []
    for _ in range(LEVELS):
        tree.append(counts + rng.laplace(0, LEVELS / EPSILON, size=len(counts)))
        counts = counts.reshape(-1, 2).sum(axis=1) if len(counts) > 1 else counts
    return [answer(tree, low, high) for low, high in RANGES]
