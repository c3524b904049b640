"""Twenty small programs that claim epsilon = 1 (pure) for the replacement of one record.

All derivations treat the noise as exact real-valued (floating point effects are ignored),
and len(data) as public. Records are 0/1 unless VALUES says otherwise.
"""

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
    # RIGHT.
    # A replacement lowers one cell by 1 and raises another by 1: L1 sensitivity 2.
    # Laplace of scale 2 on each of the four fixed cells: loss 1/2 + 1/2 = 1 (attained).
    # Rounding and dropping small cells look only at the noisy numbers (post-processing).
    noisy = {region: data.count(region) + rng.laplace(0.0, 2.0) for region in REGIONS}
    table = {}
    for region, value in noisy.items():
        if value >= 1.5:
            table[region] = int(round(value))
    return table


def small_cells(data, rng):
    # BROKEN.
    # The noise (scale 2) is enough, but the key is dropped on the TRUE count.
    # Pair: [north, north, north] and [north, north, south]; event: the key "north" is present.
    # Probability 1 against 0: infinite loss.
    table = {}
    for region in REGIONS:
        count = data.count(region)
        if count < 3:
            continue
        table[region] = max(0, int(round(count + rng.laplace(0.0, 2.0))))
    return table


def clipped_mean(data, rng):
    # RIGHT.
    # Each record is clipped to [0, 100] before the sum, so a replacement moves the mean by at
    # most 100/n. Laplace of scale 100/n: loss at most 1 (attained for 0.0 against 1000.0).
    # The clamp and the rounding at the end are post-processing.
    n = len(data)
    if n == 0:
        return 0.0
    clipped = [min(max(float(x), 0.0), 100.0) for x in data]
    mean = sum(clipped) / n + rng.laplace(0.0, 100.0 / n)
    return round(float(min(max(mean, 0.0), 100.0)), 2)


def late_clip_mean(data, rng):
    # BROKEN.
    # The clip is on the mean, not on the records: one record can move the clipped mean by up
    # to 100, against a noise scale of 100/n, so the loss is up to min(n, 1050/100) here.
    # Pair (n = 5): [0, 0, 0, 0, 0] and [0, 0, 0, 0, 1000]; clipped means 0 and 100, scale 20.
    # Event: output <= 0. Probability 1/2 against exp(-5)/2 = 0.00337: loss 5.
    n = len(data)
    if n == 0:
        return 0.0
    mean = min(max(sum(data) / n, 0.0), 100.0)
    return float(mean + rng.laplace(0.0, 100.0 / n))


def plausible_count(data, rng):
    # RIGHT.
    # Redrawing until the answer lies in [0, n] gives the density f(y - c) / Z(c), with scale 2.
    # For neighbours f changes by a factor of at most e^(1/2) and Z(c), the integral of f(y - c)
    # over [0, n], by at most e^(1/2) too: loss at most 1. (Worst case, n large, c = 0 against
    # 1: ratio e^0.5 * (1 - e^-0.5 / 2) / 0.5 = 2.297, loss 0.832.) The tries are not released.
    n = len(data)
    if n == 0:
        return 0.0
    total = sum(data)
    while True:
        noisy = total + rng.laplace(0.0, 2.0)
        if 0 <= noisy <= n:
            return round(float(noisy), 1)


def majority_coin(data, rng):
    # RIGHT.
    # P(True) = sigmoid(s - n/2), with s the number of ones. A replacement moves s by 1, and
    # both log sigmoid(t) and log(1 - sigmoid(t)) are 1-Lipschitz: loss below 1. The clamp
    # of the exponent to [-30, 30] is 1-Lipschitz as well.
    lead = sum(data) - len(data) / 2
    lead = min(max(lead, -30.0), 30.0)
    chance = 1.0 / (1.0 + math.exp(-lead))
    return bool(rng.random() < chance)


def top_choice(data, rng):
    # RIGHT.
    # argmax(count + Gumbel(scale 2)) is the exponential mechanism P(i) ~ exp(count_i / 2).
    # A replacement moves one count by -1 and another by +1: the weight of i changes by at
    # most e^(1/2), the normaliser by at most e^(1/2): loss at most 1.
    scores = np.array([data.count(option) for option in OPTIONS], dtype=float)
    noisy = scores + rng.gumbel(0.0, 2.0, size=len(OPTIONS))
    return OPTIONS[int(np.argmax(noisy))]


def pick_option(data, rng):
    # BROKEN.
    # P(i) ~ exp(count_i), without the factor 1/2: weight and normaliser can both change by e,
    # so the loss approaches 2.
    # Pair (n = 4): [red, green, green, green] and [green] * 4; event: output "red".
    # e / (e + e^3 + 1) = 0.1142 against 1 / (1 + e^4 + 1) = 0.01767: ratio 6.46, loss 1.87.
    # (Already n = 2: [red, green] and [green, green]: 0.4223 against 0.1065, loss 1.38.)
    epsilon = 1.0
    scores = np.array([data.count(option) for option in OPTIONS], dtype=float)
    weights = np.exp(epsilon * (scores - scores.max()))
    return str(rng.choice(OPTIONS, p=weights / weights.sum()))


def halves_report(data, rng):
    # RIGHT.
    # The floor of Exp(1) is geometric, P(k) ~ e^-k, so the difference of two is the two-sided
    # geometric law, P(k) ~ e^-|k|: loss 1 for a shift by 1. The records are split by position
    # (public), so a replacement moves only one of the two counts, by at most 1: loss 1.
    noise = np.floor(rng.exponential(1.0, size=2)) - np.floor(rng.exponential(1.0, size=2))
    even = sum(data[0::2]) + int(noise[0])
    odd = sum(data[1::2]) + int(noise[1])
    return (max(0, even), max(0, odd), max(0, even + odd))


def activity_report(data, rng):
    # BROKEN.
    # Two releases of the same sum, each with the full budget: count with scale 1 for
    # sensitivity 1, share with scale 1/n for sensitivity 1/n. Total loss 2 (attained).
    # Pair: [0] * n and [1] + [0] * (n - 1); event: count <= 0 and share <= 0.
    # (1/2)^2 = 0.25 against (exp(-1)/2)^2 = 0.0338: loss 2.
    n = max(1, len(data))
    active = sum(data)
    return {
        "count": float(active + rng.laplace(0.0, 1.0)),
        "share": float(active / n + rng.laplace(0.0, 1.0 / n)),
    }


def warner_survey(data, rng):
    # BROKEN (narrowly).
    # Heads: the truth; tails: a fair random bit. P(1 | 1) = 3/4, P(1 | 0) = 1/4: loss of each
    # answer is ln 3 = 1.0986 > 1, and every answer is released on its own.
    # Pair: [1] and [0] (or any data that differ in one place i); event: answer i is 1.
    # 0.75 against 0.25. (Telling the truth with total probability e/(1+e) = 0.731 is right.)
    answers = []
    for bit in data:
        if rng.random() < 0.5:
            answers.append(int(bit))
        else:
            answers.append(int(rng.random() < 0.5))
    return answers


def first_alarm(data, rng):
    # BROKEN.
    # Sparse vector with a noisy threshold but exact queries: after the first position, the
    # alarm can go off only where the record is 1, since the running count must grow there.
    # Pair: [0, 1] and [0, 0]; event: output 2.
    # First: needs 0 < T <= 1 with T = 2 + Laplace(1): (e^-1 - e^-2)/2 = 0.1163.
    # Second: the count stays 0, so the answer is 1 (T <= 0) or None: 0. Infinite loss.
    threshold = 2.0 + rng.laplace(0.0, 1.0)
    running = 0
    for day, event in enumerate(data, start=1):
        running += event
        if running >= threshold:
            return day
    return None


def sampled_count(data, rng):
    # BROKEN.
    # Poisson sampling at rate 1/2, then Laplace of scale 1/2 (epsilon 2), claimed as
    # "1/2 * 2 = 1". The law for a record 1 is the even mixture of S and S + 1, for a record 0
    # it is S: the ratio reaches (1 + e^2)/2 = 4.195, loss 1.434 = ln(1 + (e^2 - 1)/2).
    # Pair: [1] + [0] * (n - 1) and [0] * n; event: output >= 2 (sampled sum + noise >= 1).
    # (1/2)(1/2) + (1/2)(exp(-2)/2) = 0.2838 against exp(-2)/2 = 0.0677.
    kept = rng.random(len(data)) < 0.5
    sampled = sum(int(x) for x, keep in zip(data, kept) if keep)
    return float(2.0 * (sampled + rng.laplace(0.0, 0.5)))


def refund_text(data, rng):
    # BROKEN.
    # The noise is the right two-sided geometric law (loss 1), but the sum of an empty
    # sequence is the int 0, while any sum of floats is a float, and the text shows which.
    # Pair: [0] * n and [1] + [0] * (n - 1); event: the text holds a point ("2.0", not "2").
    # Probability 0 against 1: infinite loss.
    total = sum(float(x) for x in data if x)
    noise = math.floor(rng.exponential(1.0)) - math.floor(rng.exponential(1.0))
    return f"refunds: {total + noise}"


class EpochLaplace:
    # RIGHT.
    # Epochs of fixed lengths 1, 1, 2, 4, 8, ... each play one arm. At the end of an epoch only
    # the sum of its own rewards is released, with Laplace of scale 1/epsilon, and then reset.
    # Each reward enters exactly one release, with sensitivity 1: loss at most 1, also with
    # adaptively chosen arms. The choice of the next arm is post-processing.
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
    # RIGHT.
    # Blocks of 4 exploring rounds (arms 0, 1, 0, 1), then 6 rounds of the arm drawn by the
    # exponential mechanism on the block's own sums; the sums are reset, the rewards of the 6
    # rounds are not used. One reward belongs to one block and moves only ONE of the two
    # scores, by at most 1. With Gumbel noise of scale 1/epsilon, P(0) = sigmoid(epsilon *
    # (s0 - s1)), and the argument moves by at most epsilon: loss at most 1 without factor 2.
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
    # RIGHT.
    # The length of an epoch depends on the data, but only through earlier noisy releases: it
    # is fixed when the epoch starts. Each reward enters the single release at the end of its
    # own epoch (sensitivity 1, scale 1/epsilon): adaptive composition over disjoint rewards,
    # loss at most 1.
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
    # BROKEN.
    # The lifetime sums of both arms are released afresh, at full epsilon, after every epoch of
    # 2 rounds, so an early reward is paid for again in every epoch.
    # Pair: rewards all 0, and the first reward 1 with all others 0; event: after the
    # first two epochs (0, 0, 1, 1) only arm 1 is played, in all 6 further epochs (16 rounds).
    # Probabilities 2^-6 = 0.015625 against 8.87e-5 (exact product): loss 5.17, growing with
    # the horizon.
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
    # BROKEN.
    # The released sum is noisy, but the epoch ends when the RAW sum reaches 2, and the end
    # shows: after the first epoch the learner always moves on to the untried arm 1.
    # Pair: rewards 1, 1, ... and 1, 0, ...; event: the third action is 1.
    # Probability 1 against 0: infinite loss.
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
    # BROKEN.
    # The noise of both arms is drawn once and used again in every epoch. With N = noise of
    # arm 0 - noise of arm 1, an epoch commits to arm 0 if and only if s0 - s1 + N > 0.
    # Pair, as (s0, s1) of the first two epochs: D = (1, 0), (1, 0) and D' = (0, 0), (1, 0).
    # Event: first commit to arm 1, second commit to arm 0.
    # D: N <= -1 and N > -1: 0. D': -1 < N <= 0: (2 - 3/e)/4 = 0.224 (density of N:
    # (1 + |x|) e^-|x| / 4). Infinite loss.
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


LABELS = {
    "region_histogram": "right",
    "small_cells": "broken",
    "clipped_mean": "right",
    "late_clip_mean": "broken",
    "plausible_count": "right",
    "majority_coin": "right",
    "top_choice": "right",
    "pick_option": "broken",
    "halves_report": "right",
    "activity_report": "broken",
    "warner_survey": "broken",
    "first_alarm": "broken",
    "sampled_count": "broken",
    "refund_text": "broken",
    "EpochLaplace": "right",
    "GumbelBlocks": "right",
    "NoisyClock": "right",
    "LifetimeSums": "broken",
    "WarmStreak": "broken",
    "OneDraw": "broken",
}
