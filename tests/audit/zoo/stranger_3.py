"""Programs of kinds that data teams write. The claim is epsilon 1 and one replaced record, unless
EPSILON or DELTA say otherwise; noise is thought of as real numbers, and len(data) as public."""

import copy
import math
import random
from collections import Counter
from typing import NamedTuple

import numpy as np

CITIES = ["bern", "oslo", "rome"]
PROFILES = [(0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 0, 1)]

VALUES = {
    "pandas_total": [0, 1, 40],
    "stable_histogram": CITIES,
    "one_bit_mean": [0.0, 0.5, 1.0],
    "unary_encoding": [0, 1, 2],
    "min_max_scaled": [0, 5, 10],
    "most_common_first": CITIES,
    "geometric_histogram": [0, 1, 2],
    "gaussian_profile": PROFILES,
    "local_sensitivity": [0, 1, 8],
}
EPSILON = {"loud_response": 6.0, "loud_count": 6.0}
RECORDS = {"pandas_total": 2}
DELTA = {
    "stable_histogram": 0.01, "gaussian_profile": 1e-5,
    "less_noise": 0.06, "rarely_all": 0.01,
}  # fmt: skip


def subsampled_count(data, rng):
    """RIGHT. A record is taken with probability 1/5, then Lap(1/2): ln(1 + (e^2 - 1)/5) = .82."""
    kept = [x for x in data if rng.random() < 0.2]
    return sum(kept) + rng.laplace(scale=0.5)


def decoy(data, rng):
    """RIGHT. Three times of four the noise has no data under it: ln((3 + e^2)/4) = 0.95."""
    return (sum(data) if rng.random() < 0.25 else 0) + rng.laplace(scale=0.5)


def pandas_total(data, rng):
    """RIGHT. Amounts are clipped to [0, 1]."""
    import pandas as pd

    return pd.Series(data).clip(0, 1).sum() + rng.laplace(scale=1.0)


def redrawn_inside(data, rng):
    """RIGHT. Drawn again until it is in [0, n]: density and its normalisation lose 1/2 each."""
    while True:
        noisy = sum(data) + rng.laplace(scale=2.0)
        if 0 <= noisy <= len(data):
            return noisy


def loud_response(data, rng):
    """RIGHT at epsilon 6: ln(.9975/.0025) = 5.99."""
    return data[0] if random.random() < 0.9975 else 1 - data[0]


def loud_count(data, rng):
    """RIGHT at epsilon 6: of the first record only what is shown by loud_response."""
    return loud_response(data, rng) + rng.laplace(scale=0.1)


class Summary(NamedTuple):
    counts: tuple
    total: float
    text: str


def summary(data, rng):
    """RIGHT. Two counts of disjoint records; all else is computed from the noisy ones."""
    half = len(data) // 2
    first = rng.laplace(loc=sum(data[:half]), scale=1.0)
    second = rng.laplace(loc=sum(data[half:]), scale=1.0)
    return Summary((first, second), first + second, f"{max(first, second):.1f} at most")


def one_bit_mean(data, rng):
    """RIGHT. P(1) goes from 1/(e + 1) to e/(e + 1)."""
    bits = [rng.random() < (1 + x * (math.e - 1)) / (math.e + 1) for x in data]
    return sum(bits) / len(bits)


def unary_encoding(data, rng):
    """RIGHT. One's own bit is kept with 1/2, others are set with q = 1/(e + 1): two bits of a
    record change, (1/2)/q times (1 - q)/(1/2) = e."""
    own = np.eye(3)[np.asarray(data, int)]
    return (rng.random(own.shape) < np.where(own == 1, 0.5, 1 / (math.e + 1))).sum(axis=0)


def stable_histogram(data, rng):
    """RIGHT at delta .01. A city that occurs once is shown with probability e^-4/2 = .0092."""
    noisy = {city: count + rng.laplace(scale=2.0) for city, count in sorted(Counter(data).items())}
    return {city: count for city, count in noisy.items() if count > 9}


def less_noise(data, rng):
    """RIGHT at delta .06: 1 - e^((1 - 1/.9)/2) = .054."""
    return sum(data) + rng.laplace(scale=0.9)


def rarely_all(data, rng):
    """RIGHT at delta .01."""
    return tuple(data) if rng.random() < 0.01 else sum(data) + rng.laplace(scale=1.0)


def min_max_scaled(data, rng):
    """BROKEN. (5, 5, 5, 5) has the sum 0, (0, 5, 5, 5) the sum 3."""
    x = np.asarray(data, float)
    span = x.max() - x.min()
    return ((x - x.min()) / span).sum() + rng.laplace() if span else rng.laplace(loc=0.0)


def most_common_first(data, rng):
    """BROKEN. Each count is noisy enough, but the order is that of the true counts."""
    counts = Counter({city: data.count(city) for city in CITIES})
    return [(city, count + rng.laplace(scale=2.0)) for city, count in counts.most_common()]


def whole_noise_on_mean(data, rng):
    """BROKEN. Whole noise leaves the fraction of the mean as it is."""
    return sum(data) / len(data) + round(rng.laplace(scale=1.0))


def retries(data, rng):
    """BROKEN. No retry ever without a 1."""
    count = 0
    while rng.random() < sum(data) / 10:
        count += 1
    return count


def sure_threshold(data, rng):
    """BROKEN. Four answers with Lap(2), each loses 1/2: the threshold has no noise to share."""
    return [sum(data[:k]) + rng.laplace(scale=2.0) >= 0 for k in range(1, len(data) + 1)]


def geometric_histogram(data, rng):
    """BROKEN. Two counts move by 1, the noise is for one: loses 2."""
    counts = np.bincount(data, minlength=3)
    p = 1 - math.exp(-1.0)
    return counts + rng.geometric(p, 3) - rng.geometric(p, 3)


def gaussian_profile(data, rng):
    """BROKEN. All four coordinates move by 1, sigma is for one of them."""
    return np.asarray(data).sum(axis=0) + rng.normal(scale=3.74, size=4)


def local_sensitivity(data, rng):
    """BROKEN. The scale is the gap next to the median, 0 if they are equal."""
    x = sorted(data)
    return x[1] + rng.laplace(scale=max(x[2] - x[1], x[1] - x[0]))


class EpochMeans:
    """RIGHT. Each reward is in one sum, read once. A copy of the policy is kept."""

    def __init__(self, epsilon, noise, rng):
        self.scale, self.noise = 1 / epsilon, noise
        self.sums, self.best, self.t, self.old = np.zeros(2), 0, 0, None

    def act(self):
        return self.t % 2 if self.t < 4 else self.best

    def update(self, arm, reward):
        self.add(arm, reward)
        self.t += 1
        if self.t == 4:
            self.old = copy.deepcopy((self.best, self.t))
            self.release()

    def add(self, arm, reward):
        self.sums[arm] += reward

    def release(self):
        noisy = self.noise.laplace(self.sums, self.scale, name="sums")
        self.best, self.sums = int(np.argmax(noisy)), np.zeros(2)


class TwinNoise(EpochMeans):
    """BROKEN. Both arms get the same noise from a copied generator, so it cancels."""

    def __init__(self, epsilon, noise, rng):
        super().__init__(epsilon, noise, rng)
        self.rng, self.twin = rng, copy.deepcopy(rng)

    def release(self):
        first, second = self.rng.laplace(scale=self.scale), self.twin.laplace(scale=self.scale)
        self.best = int(self.sums[1] + second > self.sums[0] + first)


class Overlapping(EpochMeans):
    """BROKEN. The window is not emptied: the first rewards are read at 4 and again at 6."""

    def update(self, arm, reward):
        super().update(arm, reward)
        if self.t == 6:
            self.release()

    def release(self):
        self.best = self.noise.argmax(self.sums, self.scale, "exponential", name="window")


class EarlyStop(EpochMeans):
    """BROKEN. It stops to explore when the true sum of arm 1 is 1."""

    def act(self):
        return self.best if self.sums[1] >= 1 else super().act()


class TieRule(EpochMeans):
    """BROKEN. A true tie always keeps arm 0, everything else is noisy."""

    def release(self):
        if self.sums[0] != self.sums[1]:
            super().release()
