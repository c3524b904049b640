"""Releases, streams, selections and synthetic data: 25 right programs and 25 broken ones, written
from the documentation, with their labels, before the auditor was tuned (by ourselves). The claim is
epsilon 1 for one replaced record; len(data) is public unless NEIGHBOURS says otherwise."""

import json
import math
from collections import Counter

import numpy as np

KINDS, HALVES = ["a", "b", "c"], [0.0, 0.5, 1.0]
VALUES = {
    "pay": [0, 50, 120], "pay_low": [-50, 0, 120], "variance": HALVES, "variance_thin": HALVES,
    "slope": [-3.0, 0.2, 2.0], "slope_of_mean": [-3.0, 0.2, 2.0], "middle": [0, 1, 2, 3],
    "middle_thin": [0, 1, 2, 3], "late_clip": [0, 1, 9],
} | dict.fromkeys(
    ("cells", "shares", "favourite", "soft_favourite", "best_of_gumbel", "one_of_three",
     "gauss_cells", "synthetic", "groups", "cells_thin", "present_cells", "favourite_shared",
     "soft_favourite_twice", "gumbel_thin", "one_of_three_loud", "gauss_cells_thin",
     "smoothed_sample", "first_two_thin"), KINDS,
)  # fmt: skip
DELTA = dict.fromkeys(("gauss_count", "gauss_cells", "gauss_count_root", "gauss_cells_thin"), 1e-5)
NEIGHBOURS = {"mean_of_unknown": "remove"}
RECORDS = dict.fromkeys(("cells", "shares", "synthetic", "groups"), 3)


def counts(data):
    return [data.count(kind) for kind in KINDS]


def pay(data, rng):
    """RIGHT. Clipped to [0, 100], Lap(100)."""
    return sum(min(max(x, 0), 100) for x in data) + rng.laplace(scale=100)


def two_counts(data, rng):
    """RIGHT. Both counts move by 1; 1/2 each."""
    return {x: data.count(x) + rng.laplace(scale=2.0) for x in (0, 1)}


def interval(data, rng):
    """RIGHT. Three functions of one noisy sum."""
    mean = (sum(data) + rng.laplace(scale=1.0)) / len(data)
    return mean, mean - 1.96 / len(data), mean + 1.96 / len(data)


def currencies(data, rng):
    """RIGHT. One noisy total in two units."""
    total = rng.laplace(sum(data), 1.0)
    return {"usd": total, "eur": 0.92 * total}


def cells(data, rng):
    """RIGHT. Two cells move by 1, Lap(2)."""
    return np.array(counts(data)) + rng.laplace(scale=2.0, size=3)


def shares(data, rng):
    """RIGHT. Computed from noisy cells."""
    noisy = np.maximum(np.array(counts(data)) + rng.laplace(scale=2.0, size=3), 0.0)
    return noisy / max(noisy.sum(), 1.0)


def favourite(data, rng):
    """RIGHT. Noisy cells with Lap(2) are 1-DP, and so is their largest."""
    noisy = {kind: data.count(kind) + rng.laplace(scale=2.0) for kind in KINDS}
    return max(noisy, key=noisy.get)


def soft_favourite(data, rng):
    """RIGHT. The exponential mechanism, scores move by 1."""
    weights = np.exp(np.array(counts(data)) / 2)
    return KINDS[int(rng.choice(3, p=weights / weights.sum()))]


def best_of_gumbel(data, rng):
    """RIGHT. The same with Gumbel noise of scale 2."""
    return KINDS[int(np.argmax(np.array(counts(data)) + rng.gumbel(scale=2.0, size=3)))]


def middle(data, rng):
    """RIGHT. Exponential mechanism; below minus above moves by at most 2, so scale 4."""
    scores = [-abs(sum(x < c for x in data) - sum(x > c for x in data)) for c in range(4)]
    return int(np.argmax(np.array(scores) + rng.gumbel(scale=4.0, size=4)))


def first_above(data, rng):
    """RIGHT. Sparse vector: Lap(2) on the threshold, Lap(4) on each prefix count, stops once."""
    bar = 2 + rng.laplace(scale=2.0)
    for k in range(1, len(data) + 1):
        if sum(data[:k]) + rng.laplace(scale=4.0) >= bar:
            return k
    return None


def tree(data, rng):
    """RIGHT. A record is in three nodes at most (of 4 leaves), Lap(3) each."""
    noisy, sums = {}, []
    for size in (1, 2, 4):
        for start in range(0, len(data) - size + 1, size):
            noisy[start, size] = sum(data[start : start + size]) + rng.laplace(scale=3.0)
    for k in range(1, len(data) + 1):
        start, total = 0, 0.0
        for size in (4, 2, 1):
            if k & size:
                total, start = total + noisy[start, size], start + size
        sums.append(total)
    return sums


def blocks(data, rng):
    """RIGHT. A record is in one block; prefixes add noisy blocks."""
    noisy = [sum(data[i : i + 2]) + rng.laplace(scale=1.0) for i in range(0, len(data), 2)]
    return np.cumsum(noisy).tolist()


def answers(data, rng):
    """RIGHT. Randomised response, e to 1."""
    keep = math.e / (1 + math.e)
    return [x if rng.random() < keep else 1 - x for x in data]


def one_of_three(data, rng):
    """RIGHT. Kept with e/(e + 2), each other one with 1/(e + 2)."""
    found = []
    for x in data:
        p = [math.e if kind == x else 1.0 for kind in KINDS]
        found.append(KINDS[int(rng.choice(3, p=np.array(p) / sum(p)))])
    return found


def gauss_count(data, rng):
    """RIGHT. sigma 3.74 is enough for (1, 1e-5) at sensitivity 1 (least: 3.7305)."""
    return sum(data) + rng.normal(0, 3.74)


def gauss_cells(data, rng):
    """RIGHT. Two cells move by 1: sqrt 2 times as much noise."""
    return (np.array(counts(data)) + rng.normal(0, 5.3, size=3)).tolist()


def synthetic(data, rng):
    """RIGHT. Records drawn from noisy cells."""
    noisy = np.maximum(np.array(counts(data)) + rng.laplace(scale=2.0, size=3), 0.1)
    return [KINDS[i] for i in rng.choice(3, size=3, p=noisy / noisy.sum())]


def synthetic_bits(data, rng):
    """RIGHT. Coins with a noisy probability."""
    p = min(max((sum(data) + rng.laplace(scale=1.0)) / len(data), 0.0), 1.0)
    return [int(rng.random() < p) for _ in range(3)]


def sentence(data, rng):
    """RIGHT. A noisy count in a text."""
    noisy = sum(data) + rng.laplace(scale=1.0)
    return f"about {noisy:.1f} of {len(data)}" if noisy > 0 else "none"


def page(data, rng):
    """RIGHT. JSON of two halves, each with Lap(1); a record is in one of them."""
    half = len(data) // 2
    parts = {"first": data[:half], "second": data[half:]}
    return json.dumps(
        {k: round(float(sum(x) + rng.laplace(scale=1.0)), 2) for k, x in parts.items()}
    )


def variance(data, rng):
    """RIGHT. A sum and a sum of squares, both move by at most 1, Lap(2) each."""
    total = sum(data) + rng.laplace(scale=2.0)
    squares = sum(x * x for x in data) + rng.laplace(scale=2.0)
    return squares / len(data) - (total / len(data)) ** 2


def tidy_count(data, rng):
    """RIGHT. Rounded and clamped after the noise."""
    return int(np.clip(np.round(sum(data) + rng.laplace(scale=1.0)), 0, len(data)))


def whole(data, rng):
    """RIGHT. Two-sided geometric noise, e to 1."""
    p = 1 - math.exp(-1)
    return sum(data) + int(rng.geometric(p)) - int(rng.geometric(p))


def slope(data, rng):
    """RIGHT. A sum of numbers clipped to [-1, 1] moves by 2, Lap(2)."""
    return sum(max(-1.0, min(1.0, x)) for x in data) + rng.laplace(scale=2.0)


def groups(data, rng):
    """RIGHT. Counts of all groups, known beforehand, the largest first by its noisy count."""
    noisy = {kind: data.count(kind) + rng.laplace(scale=2.0) for kind in KINDS}
    return sorted(noisy.items(), key=lambda item: -item[1])


def pay_low(data, rng):
    """BROKEN. No lower end: -50 against 120 (100 after the clip) moves by 150: loses 1.5."""
    return sum(min(x, 100) for x in data) + rng.laplace(scale=100)


def late_clip(data, rng):
    """BROKEN. The total is clipped, not the records: 0 against 9 moves by n >= 2."""
    return min(sum(data), len(data)) + rng.laplace(scale=1.0)


def mean_of_unknown(data, rng):
    """BROKEN. The scale shows n: densities n/2 exp(-n|x|) have ratios without bound."""
    return sum(data) / max(len(data), 1) + rng.laplace(scale=1 / max(len(data), 1))


def with_positives(data, rng):
    """BROKEN. A true count beside the noisy one."""
    return {"total": sum(data) + rng.laplace(scale=1.0), "any": bool(sum(data))}


def cells_thin(data, rng):
    """BROKEN. Two cells move, Lap(1): loses 2."""
    return np.array(counts(data)) + rng.laplace(scale=1.0, size=3)


def present_cells(data, rng):
    """BROKEN. Only cells that are not empty: the keys show them."""
    return {kind: n + rng.laplace(scale=2.0) for kind, n in sorted(Counter(data).items())}


def favourite_shared(data, rng):
    """BROKEN. One draw for all three cells leaves the true order."""
    noise = rng.laplace(scale=2.0)
    return int(np.argmax([n + noise for n in counts(data)]))


def soft_favourite_twice(data, rng):
    """BROKEN. exp(score) for exp(score/2): (4,0,0) to (3,1,0), output b: 1/(2 + e^4) against
    e/(e^3 + e + 1): 1.86."""
    weights = np.exp(np.array(counts(data), float))
    return KINDS[int(rng.choice(3, p=weights / weights.sum()))]


def gumbel_thin(data, rng):
    """BROKEN. The same by Gumbel noise of scale 1."""
    return int(np.argmax(np.array(counts(data)) + rng.gumbel(scale=1.0, size=3)))


def middle_thin(data, rng):
    """BROKEN. Scale 1 where 4 is needed."""
    scores = [-abs(sum(x < c for x in data) - sum(x > c for x in data)) for c in range(4)]
    return int(np.argmax(np.array(scores) + rng.gumbel(scale=1.0, size=4)))


def first_above_bare(data, rng):
    """BROKEN. Lap(1/2) on the counts alone: 0000 against 1000, answer 1: e^-4/2 against e^-2/2."""
    for k in range(1, len(data) + 1):
        if sum(data[:k]) + rng.laplace(scale=0.5) >= 2:
            return k
    return None


def tree_thin(data, rng):
    """BROKEN. Three levels, Lap(2): releases of all three nodes lose 1.5."""
    noisy = []
    for size in (1, 2, 4):
        for start in range(0, len(data) - size + 1, size):
            noisy.append(sum(data[start : start + size]) + rng.laplace(scale=2.0))
    return noisy


def prefixes(data, rng):
    """BROKEN. Lap(1) on each prefix: the first record is in all."""
    return [sum(data[:k]) + rng.laplace(scale=1.0) for k in range(1, len(data) + 1)]


def answers_loud(data, rng):
    """BROKEN. ln(.8/.2) = 1.39."""
    return [x if rng.random() < 0.8 else 1 - x for x in data]


def one_of_three_loud(data, rng):
    """BROKEN. Kept with e/(e + 1), each other one with half of the rest: ln 2e = 1.69."""
    keep, found = math.e / (1 + math.e), []
    for x in data:
        p = [keep if kind == x else (1 - keep) / 2 for kind in KINDS]
        found.append(KINDS[int(rng.choice(3, p=p))])
    return found


def gauss_count_root(data, rng):
    """BROKEN. The root of sigma: 1.93 for 3.73."""
    return sum(data) + rng.normal(0, math.sqrt(3.74))


def gauss_cells_thin(data, rng):
    """BROKEN. sigma 2 for two cells that move by 1."""
    return (np.array(counts(data)) + rng.normal(0, 2.0, size=3)).tolist()


def bootstrap(data, rng):
    """BROKEN. Real records, drawn again."""
    return [data[i] for i in rng.choice(len(data), size=len(data), p=[1 / len(data)] * len(data))]


def smoothed_sample(data, rng):
    """BROKEN. Three draws from (count + 1)/(n + 3): counts 0 and 1: 2^3, ln 8 = 2.08."""
    p = (np.array(counts(data)) + 1) / (len(data) + 3)
    return [KINDS[i] for i in rng.choice(3, size=3, p=p)]


def seeded_by_data(data, rng):
    """BROKEN. The seed is the data's: the noise is known to who guesses them."""
    return float(sum(data) + np.random.default_rng(sum(data)).laplace(scale=1.0))


def variance_thin(data, rng):
    """BROKEN. Two sums, Lap(1) each, both shown: loses 2 at 0 against 1."""
    return (sum(data) + rng.laplace(scale=1.0), sum(x * x for x in data) + rng.laplace(scale=1.0))


def true_ceiling(data, rng):
    """BROKEN. Never above the true sum + 1."""
    return min(float(sum(data) + rng.laplace(scale=1.0)), sum(data) + 1.0)


def whole_thin(data, rng):
    """BROKEN. exp(-2): loses 2."""
    p = 1 - math.exp(-2)
    return sum(data) + int(rng.geometric(p)) - int(rng.geometric(p))


def slope_of_mean(data, rng):
    """BROKEN. The sum is clipped to [-n, n], records are not: -3 against 2 moves by 5, Lap(2)."""
    return max(-len(data), min(len(data), sum(data))) + rng.laplace(scale=2.0)


def until_positive(data, rng):
    """BROKEN. Drawn again until it is above 0, which has probability .816 or .5: near 0 the density
    is 1 (sum 0) against e^-1/2/.816 (sum 1): loses 1.49."""
    while True:
        noisy = sum(data) + rng.laplace(scale=1.0)
        if noisy > 0:
            return noisy


def active(data, rng):
    """BROKEN. The length of the list is the true count."""
    return [x + rng.laplace(scale=1.0) for x in data if x]


def first_two_thin(data, rng):
    """BROKEN. The two largest of noisy cells, Lap(1/2): two cells move."""
    noisy = np.array(counts(data)) + rng.laplace(scale=0.5, size=3)
    return [KINDS[i] for i in np.argsort(-noisy)[:2]]
