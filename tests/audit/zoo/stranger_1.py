"""Programs that claim epsilon = 1 for one replaced record; noise is thought of as real numbers, and
len(data) as public. Records are 0/1 unless VALUES says otherwise."""

import math

import numpy as np

REGIONS = ("north", "south", "east", "west")
OPTIONS = ("red", "green", "blue")
AMOUNTS = [-50.0, 0.0, 18.0, 35.5, 100.0, 1000.0]

VALUES = {
    "region_histogram": list(REGIONS),
    "small_cells": list(REGIONS),
    "clipped_mean": AMOUNTS,
    "late_clip_mean": AMOUNTS,
    "top_choice": list(OPTIONS),
    "pick_option": list(OPTIONS),
}

DELTA = {}


def region_histogram(data, rng):
    """RIGHT. A replacement moves two cells by 1, each with noise of scale 2: loss 1."""
    noisy = {region: data.count(region) + rng.laplace(0.0, 2.0) for region in REGIONS}
    table = {}
    for region, value in noisy.items():
        if value >= 1.5:
            table[region] = int(round(value))
    return table


def small_cells(data, rng):
    """BROKEN. A key is dropped on its true count: [north] * 3 against [north, north, south], the
    key north: probability 1 against 0."""
    table = {}
    for region in REGIONS:
        count = data.count(region)
        if count < 3:
            continue
        table[region] = max(0, int(round(count + rng.laplace(0.0, 2.0))))
    return table


def clipped_mean(data, rng):
    """RIGHT. Records are clipped to [0, 100]: the mean moves by at most 100/n, the scale."""
    n = len(data)
    if n == 0:
        return 0.0
    clipped = [min(max(float(x), 0.0), 100.0) for x in data]
    mean = sum(clipped) / n + rng.laplace(0.0, 100.0 / n)
    return round(float(min(max(mean, 0.0), 100.0)), 2)


def late_clip_mean(data, rng):
    """BROKEN. The mean is clipped, not the records: [0] * 5 against [0, 0, 0, 0, 1000], means 0 and
    100 at scale 20, output <= 0: 1/2 against e^-5/2, loss 5."""
    n = len(data)
    if n == 0:
        return 0.0
    mean = min(max(sum(data) / n, 0.0), 100.0)
    return float(mean + rng.laplace(0.0, 100.0 / n))


def plausible_count(data, rng):
    """RIGHT. Drawn again until it is in [0, n], scale 2: density and normalisation change by at
    most e^(1/2) each."""
    n = len(data)
    if n == 0:
        return 0.0
    total = sum(data)
    while True:
        noisy = total + rng.laplace(0.0, 2.0)
        if 0 <= noisy <= n:
            return round(float(noisy), 1)


def majority_coin(data, rng):
    """RIGHT. P(True) = sigmoid(s - n/2): its logarithm and that of P(False) are 1-Lipschitz."""
    lead = sum(data) - len(data) / 2
    lead = min(max(lead, -30.0), 30.0)
    chance = 1.0 / (1.0 + math.exp(-lead))
    return bool(rng.random() < chance)


def top_choice(data, rng):
    """RIGHT. Gumbel noise of scale 2 is the exponential mechanism exp(count/2): weight and
    normaliser change by at most e^(1/2) each."""
    scores = np.array([data.count(option) for option in OPTIONS], dtype=float)
    noisy = scores + rng.gumbel(0.0, 2.0, size=len(OPTIONS))
    return OPTIONS[int(np.argmax(noisy))]


def pick_option(data, rng):
    """BROKEN. exp(count), without 1/2: [red, green, green, green] against [green] * 4, output red:
    e/(e + e^3 + 1) = .1142 against 1/(e^4 + 2) = .01767, loss 1.87."""
    epsilon = 1.0
    scores = np.array([data.count(option) for option in OPTIONS], dtype=float)
    weights = np.exp(epsilon * (scores - scores.max()))
    return str(rng.choice(OPTIONS, p=weights / weights.sum()))


def halves_report(data, rng):
    """RIGHT. floor(Exp(1)) is geometric, a difference of two has P(k) ~ e^-|k|; one of the two
    counts moves, by at most 1."""
    noise = np.floor(rng.exponential(1.0, size=2)) - np.floor(rng.exponential(1.0, size=2))
    even = sum(data[0::2]) + int(noise[0])
    odd = sum(data[1::2]) + int(noise[1])
    return (max(0, even), max(0, odd), max(0, even + odd))


def activity_report(data, rng):
    """BROKEN. Two releases of one sum, each with the whole budget: [0] * n against [1, 0, ...],
    both <= 0: 1/4 against (e^-1/2)^2, loss 2."""
    n = max(1, len(data))
    active = sum(data)
    return {
        "count": float(active + rng.laplace(0.0, 1.0)),
        "share": float(active / n + rng.laplace(0.0, 1.0 / n)),
    }


def warner_survey(data, rng):
    """BROKEN. P(1 | 1) = 3/4 and P(1 | 0) = 1/4 for each answer: loss ln 3 = 1.0986."""
    answers = []
    for bit in data:
        if rng.random() < 0.5:
            answers.append(int(bit))
        else:
            answers.append(int(rng.random() < 0.5))
    return answers


def first_alarm(data, rng):
    """BROKEN. A noisy threshold T but exact counts: [0, 1] against [0, 0], output 2: P(0 < T <= 1)
    = .1163 against 0."""
    threshold = 2.0 + rng.laplace(0.0, 1.0)
    running = 0
    for day, event in enumerate(data, start=1):
        running += event
        if running >= threshold:
            return day
    return None


def sampled_count(data, rng):
    """BROKEN. Sampled at rate 1/2 at epsilon 2 loses ln((1 + e^2)/2) = 1.434: [1, 0, ...] against
    [0] * n, output >= 2: .2838 against .0677."""
    kept = rng.random(len(data)) < 0.5
    sampled = sum(int(x) for x, keep in zip(data, kept) if keep)
    return float(2.0 * (sampled + rng.laplace(0.0, 0.5)))


def refund_text(data, rng):
    """BROKEN. The sum of nothing is an int, and the text shows it: "2", not "2.0"."""
    total = sum(float(x) for x in data if x)
    noise = math.floor(rng.exponential(1.0)) - math.floor(rng.exponential(1.0))
    return f"refunds: {total + noise}"


class EpochLaplace:
    """RIGHT. Epochs of fixed lengths 1, 1, 2, 4, ...; each reward is in one sum, released once with
    scale 1/epsilon and then reset."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.estimate = [None, None]
        self.epoch = 0
        self._start(0)

    def _start(self, arm):
        self.arm = arm
        self.length = 2 ** max(0, self.epoch - 1)
        self.seen = 0
        self.total = 0.0

    def act(self):
        return self.arm

    def update(self, reward):
        self.total += reward
        self.seen += 1
        if self.seen < self.length:
            return
        released = self.noise.laplace(self.total, 1.0 / self.epsilon, name="epoch sum")
        bonus = 1.0 / math.sqrt(self.length)
        self.estimate[self.arm] = released / self.length + bonus
        self.epoch += 1
        if self.estimate[1] is None:
            self._start(1)
        else:
            self._start(0 if self.estimate[0] >= self.estimate[1] else 1)


class GumbelBlocks:
    """RIGHT. Rounds 1 to 4 of a block give two sums, and a reward moves one of them by at most 1:
    P(0) = sigmoid(epsilon (s0 - s1)). The other six rounds are not read."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.round = 0
        self.sums = [0.0, 0.0]
        self.chosen = 0

    def act(self):
        if self.round < 4:
            return self.round % 2
        return self.chosen

    def update(self, reward):
        if self.round < 4:
            self.sums[self.round % 2] += reward
        self.round += 1
        if self.round == 4:
            scale = 1.0 / self.epsilon
            self.chosen = int(self.noise.argmax(self.sums, scale, law="gumbel", name="block"))
            self.sums = [0.0, 0.0]
        if self.round == 10:
            self.round = 0


class NoisyClock:
    """RIGHT. Lengths of epochs depend on earlier noisy releases only; each reward is in one
    release."""

    def __init__(self, epsilon, noise, rng):
        self.scale = 1.0 / epsilon
        self.noise = noise
        self.mean = [0.5, 0.5]
        self.arm = 0
        self.left = 2
        self.length = 2
        self.total = 0.0

    def act(self):
        return self.arm

    def update(self, reward):
        self.total += reward
        self.left -= 1
        if self.left > 0:
            return
        noisy = self.noise.laplace(self.total, self.scale, name="sum")
        self.mean[self.arm] = min(max(noisy / self.length, 0.0), 1.0)
        gap = self.mean[0] - self.mean[1]
        if abs(gap) < 0.2:
            self.arm = 1 - self.arm
            self.length = 3
        else:
            self.arm = 0 if gap > 0 else 1
            self.length = 6
        self.left = self.length
        self.total = 0.0


class LifetimeSums:
    """BROKEN. All sums so far are released again after every two rounds: all rewards 0 against a
    first reward of 1, then only arm 1 in six epochs: 2^-6 against 8.87e-5, loss 5.17."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.sums = [0.0, 0.0]
        self.pulls = [0, 0]
        self.arm = 0
        self.rounds = 0

    def act(self):
        return self.arm

    def update(self, reward):
        self.sums[self.arm] += reward
        self.pulls[self.arm] += 1
        self.rounds += 1
        if self.rounds % 2:
            return
        if self.pulls[1] == 0:
            self.arm = 1
            return
        means = []
        for k in (0, 1):
            noisy = self.noise.laplace(self.sums[k], 1.0 / self.epsilon, name="lifetime")
            means.append(noisy / self.pulls[k])
        self.arm = 0 if means[0] >= means[1] else 1


class WarmStreak:
    """BROKEN. An epoch ends when its true sum is 2: rewards 1, 1 against 1, 0, the third action is
    1: probability 1 against 0."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.value = [None, None]
        self.arm = 0
        self.total = 0.0
        self.length = 0

    def act(self):
        return self.arm

    def update(self, reward):
        self.total += reward
        self.length += 1
        if self.total < 2.0 and self.length < 10:
            return
        noisy = self.noise.laplace(self.total, 1.0 / self.epsilon, name="streak")
        self.value[self.arm] = noisy / self.length
        self.total = 0.0
        self.length = 0
        if self.value[1] is None:
            self.arm = 1
        else:
            self.arm = 0 if self.value[0] >= self.value[1] else 1


class OneDraw:
    """BROKEN. All epochs have the same noise, of difference N: (s0, s1) = (1, 0), (1, 0) against
    (0, 0), (1, 0), first arm 1, then arm 0: 0 against P(-1 < N <= 0) = (2 - 3/e)/4."""

    def __init__(self, epsilon, noise, rng):
        scale = 1.0 / epsilon
        self.offset = [noise.laplace(0.0, scale, name=f"arm {k}") for k in (0, 1)]
        self.sums = [0.0, 0.0]
        self.step = 0
        self.best = 0

    def act(self):
        if self.step < 2:
            return self.step
        return self.best

    def update(self, reward):
        if self.step < 2:
            self.sums[self.step] += reward
        self.step += 1
        if self.step == 2:
            lead = (self.sums[0] - self.sums[1]) + (self.offset[0] - self.offset[1])
            self.best = 0 if lead > 0 else 1
            self.sums = [0.0, 0.0]
        elif self.step == 5:
            self.step = 0
