"""RIGHT. Each person draws a hash function to BUCKETS buckets without looking at the answer,
hashes the answer and keeps the bucket with probability e^EPSILON / (e^EPSILON + BUCKETS - 1),
else sends one of the others uniformly. For every hash function two answers' reports differ
by a factor of at most e^EPSILON; the report is that function and the bucket."""

import math

EPSILON = 1.5
DELTA = 0.0
RECORDS = [0, 1, 2, 3, 4, 5]
NEIGHBOURS = "replace"

BUCKETS = 3
PRIME = 31


def f(data, rng):
    keep = math.exp(EPSILON) / (math.exp(EPSILON) + BUCKETS - 1)
    reports = []
    for answer in data:
        a, b = int(rng.integers(1, PRIME)), int(rng.integers(PRIME))
        bucket = (a * answer + b) % PRIME % BUCKETS
        if rng.random() >= keep:
            bucket = (bucket + int(rng.integers(1, BUCKETS))) % BUCKETS
        reports.append((a, b, bucket))
    return reports
