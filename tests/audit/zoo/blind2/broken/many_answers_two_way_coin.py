"""BROKEN (factor 2.6). The coin of two answers is used for six: the truth is kept with
probability e^EPSILON / (1 + e^EPSILON), and each of the five others is sent with only
1 / (5 (1 + e^EPSILON)). Pair: [0] and [1], report 0: ratio 5 e^EPSILON, loss 1 + log 5 =
2.609 against 1."""

import math
import random

EPSILON = 1.0
DELTA = 0.0
RECORDS = [0, 1, 2, 3, 4, 5]
NEIGHBOURS = "replace"


def f(data, rng):
    keep = math.exp(EPSILON) / (1 + math.exp(EPSILON))
    reports = []
    for answer in data:
        if random.random() < keep:
            reports.append(answer)
        else:
            reports.append(random.choice([r for r in RECORDS if r != answer]))
    return reports
