"""Pairs of programs: each is right, and with `broken` it has one defect, which its docstring names.
All claim epsilon 1 for one replaced record, but for what DELTA and NEIGHBOURS say."""

import numpy as np

SMALL = [0, 1, 2]
VALUES = {"best_score": SMALL, "votes": SMALL, "clipped_sum": [0.0, 0.5, 3.0],
          "data_scale": [0.0, 0.25, 1.0],
          "LateRewards": [(0, 0), (1, 0), (0, 2), (1, 2)]}  # fmt: skip
RECORDS = {"best_score": 3, "votes": 3, "clipped_sum": 3, "data_scale": 3, "Epochs": 3,
           "LateRewards": 5}  # fmt: skip
DELTA = {"gaussian_sum": 1e-5}
NEIGHBOURS = {"mean": "remove,add"}


def noisy_sum(data, rng, broken=False):
    """Half the declared noise."""
    return sum(data) + rng.laplace(scale=0.5 if broken else 1.0)


def gaussian_sum(data, rng, broken=False):
    """Sigma of another delta."""
    return sum(data) + rng.normal(scale=2.2 if broken else 3.74)


def seeded_sum(data, rng, broken=False):
    """A fixed seed, for reproducible results."""
    rng = np.random.default_rng(7) if broken else rng
    return float(rng.laplace(sum(data), 1.0))


def clipped_sum(data, rng, broken=False):
    """Clipped after adding up."""
    total = np.clip(sum(data), 0, len(data)) if broken else np.clip(data, 0, 1).sum()
    return total + rng.laplace(scale=1.0)


def data_scale(data, rng, broken=False):
    """Of records between 0 and 1: the scale of the noise is the range of the data."""
    return sum(data) + (max(data) - min(data) if broken else 1.0) * rng.laplace()


def three_sums(data, rng, broken=False):
    """Each release gets the whole budget."""
    sums = sum(data), sum(x * x for x in data), data.count(1)
    return [x + rng.laplace(scale=1.0 if broken else 3.0) for x in sums]


def two_halves(data, rng, broken=False):
    """A record is in one of two sums: one draw of noise for both."""
    noise = [rng.laplace(scale=1.0)] * 2 if broken else rng.laplace(scale=1.0, size=2)
    return [sum(data[:2]) + noise[0], sum(data[2:]) + noise[1]]


def mean(data, rng, broken=False):
    """The number of records is not public: noise on that number only."""
    if broken:
        return sum(data) / max(1.0, len(data) + rng.laplace(scale=1.0))
    total = sum(data) + rng.laplace(scale=2.0)
    return total / max(1.0, len(data) + rng.laplace(scale=2.0))


def threshold(data, rng, broken=False):
    """Are there at least three ones? The test reads the true sum."""
    count = sum(data) + rng.laplace(scale=1.0)
    return round(count) if (sum(data) if broken else count) >= 3 else "few"


def until_found(data, rng, broken=False):
    """How many of the first k are 1, a quarter of the budget each: stops at the first 1."""
    answers = []
    for k, record in enumerate(data, start=1):
        answers.append(sum(data[:k]) + rng.laplace(scale=4.0))
        if broken and record == 1:
            break
    return answers


def best_score(data, rng, broken=False):
    """The exponential mechanism: the noisy score of the winner is published."""
    noisy = np.bincount(data, minlength=3) + rng.gumbel(scale=2.0, size=3)
    return (int(noisy.argmax()), float(noisy.max())) if broken else int(noisy.argmax())


def votes(data, rng, broken=False):
    """As RNM-FTNL: a vote that moves changes two counts, the noise is for one."""
    noise = rng.laplace(scale=1.0 if broken else 2.0, size=3)
    return int(np.argmax(np.bincount(data, minlength=3) + noise))


class Follow:
    """The noisy leader, budget split over three looks: a reward is read twice."""

    def __init__(self, epsilon, noise, rng, broken=False):
        self.epsilon, self.noise, self.arm, self.t = epsilon, noise, 0, 0
        self.total, self.times = np.zeros(2), 2 if broken else 1

    def act(self):
        return self.arm

    def update(self, arm, reward):
        self.t += 1
        self.total[self.arm] += self.times * reward
        if self.t % 2 == 0:
            self.arm = self.noise.argmax(self.total, 3 / self.epsilon, "exponential", name="total")


class Greedy(Follow):
    """The best noisy mean, asked once in three rounds: between two looks it compares true means."""

    def __init__(self, epsilon, noise, rng, broken=False):
        super().__init__(epsilon, noise, rng)
        self.broken, self.noisy = broken, [0.0, 0.0]

    def update(self, arm, reward):
        self.t += 1
        self.total[self.arm] += reward
        look = self.t % 3 == 0
        if look:
            self.noisy = self.noise.laplace(self.total, 2 / self.epsilon, name="sums")
        means = self.total if self.broken and not look else self.noisy
        self.arm = int(means[1] >= means[0])


class Epochs:
    """A noisy sum of each epoch's rewards, epochs double: an epoch's sum is not reset."""

    def __init__(self, epsilon, noise, rng, broken=False):
        self.epsilon, self.noise, self.broken = epsilon, noise, broken
        self.means, self.arm, self.length = [1.0, 1.0], 0, 1
        self.total, self.counted = 0.0, 0

    def act(self):
        return self.arm

    def update(self, arm, reward):
        self.total += reward
        self.counted += 1
        if self.counted == self.length:
            noisy = self.noise.laplace(self.total, 1 / self.epsilon, name="total")
            self.means[self.arm] = noisy / self.length
            self.arm = int(self.means[1] > self.means[0])
            self.length, self.counted = 2 * self.length, 0
            self.total = self.total if self.broken else 0.0


class LateRewards(Epochs):
    """In a service: a record is (reward, how many rounds later it comes). Each counts two rounds
    after its own; broken: when it comes, so that what is late is in another release."""

    def __init__(self, epsilon, noise, rng, broken=False):
        super().__init__(epsilon, noise, rng)
        self.own_time, self.t, self.waiting = broken, 0, []

    def update(self, arm, record):
        reward, late = record
        self.t += 1
        self.waiting.append((self.t + (int(late) if self.own_time else 2), reward))
        for when, reward in list(self.waiting):
            if when == self.t:
                self.waiting.remove((when, reward))
                super().update(arm, reward)
