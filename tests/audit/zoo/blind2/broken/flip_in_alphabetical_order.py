"""BROKEN (no finite epsilon). Permute-and-flip without the permutation: the first of the best
candidates is accepted for certain, so nothing after it ever wins. Pair: ["ash"] never answers
"elm"; ["elm"] does with probability 1 - e^(-EPSILON / 2)."""

import math

EPSILON = 1.0
DELTA = 0.0
RECORDS = ["ash", "elm", "oak"]
NEIGHBOURS = "replace"


def f(data, rng):
    votes = {name: data.count(name) for name in RECORDS}
    best = max(votes.values())
    for name in sorted(votes):
        if rng.random() < math.exp(EPSILON * (votes[name] - best) / 2):
            return name
    return max(votes, key=votes.get)
