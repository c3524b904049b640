"""Right code that looks wrong, and wrong code that looks right: with an earlier auditor the right
ones were accused, or the broken ones passed. All claim epsilon 1 for one replaced record (reward),
len(data) is public. The comments derive each label.
"""

from dataclasses import dataclass

import numpy as np

VALUES = {"forgotten_clip": [0, 1, 100], "half_ratings": [0, 1, 1.5], "text_type": [0, 1, 1.0],
          "tuple_records": [("a", 0), ("a", 1), ("b", 1)], "signed_zero": [-1, 0, 1],
          "dict_records": [{"paid": 0}, {"paid": 1}]}  # fmt: skip
RECORDS = {"histogram_of_2000": 2, "text_type": 2, "half_ratings": 2, "ReadTwice": 4, "CoinTie": 4}
OWN = np.random.default_rng(20260)


# RIGHT: a count of 0/1 records moves by at most 1, and Lap(1) is added to it in some way
def noise_first(data, rng):  # the same sum, in another order
    noise = float(rng.laplace())
    return sum(data) + noise


def rounded_noise(data, rng):  # round(Lap(1)): P(k + 1)/P(k) is at least 1/e: mass on unit bins
    return sum(data) + round(rng.laplace())


def noise_in_an_array(data, rng):  # two halves: a record is in one of them
    noise = np.zeros(2)
    for i in range(2):
        noise[i] = rng.laplace()
    return (np.array([sum(data[:2]), sum(data[2:])]) + noise).tolist()


def noise_in_a_list(data, rng):
    noises = [float(rng.laplace()) for _ in range(2)]
    return [sum(part) + n for part, n in zip((data[:2], data[2:]), noises, strict=True)]


def histogram_of_2000(data, rng):  # one record moves two bins by 1
    return np.bincount(data, minlength=2000) + rng.laplace(scale=2.0, size=2000)


def three_noises(data, rng):  # given two of them, the third is Lap(1)
    return sum(data) + sum(float(rng.laplace()) for _ in range(3))


def sum_of_noises(data, rng):  # the same, as one expression
    return sum(data) + rng.laplace() + rng.laplace(scale=0.1)


def own_generator(data, rng):  # a good one, but not the one that is given
    return sum(data) + float(OWN.laplace())


def own_response(data, rng):  # each record is kept with probability e/(1 + e)
    return [int(x if OWN.random() < np.e / (1 + np.e) else 1 - x) for x in data]


def noise_then_loop(data, rng):  # the noise is released with the first record, others are added
    total = float(data[0] + rng.laplace())
    for x in data[1:]:
        total += x
    return total


def one_time_pad(data, rng):  # data xor a fair coin is a fair coin
    coin = rng.argmax(np.zeros(2), 1.0, "gumbel")
    return int(sum(data) + coin) % 2


def response(data, rng):  # exactly: p(answer = record) = e/(1 + e)
    keep = np.e / (1 + np.e)
    return [int(rng.bernoulli(keep if x else 1 - keep)) for x in data]


def threshold_noise(data, rng):  # one question: sum - threshold moves by 1, Lap(1)
    return bool(sum(data) >= 2 + rng.laplace())


def by_probabilities(data, rng):  # the exponential mechanism, written with choice
    weights = np.exp(np.array([sum(data), len(data) - sum(data)]) / 2)
    return ("ones", "zeros")[rng.choice(2, p=weights / weights.sum())]


def uniform_scale(data, rng):  # inverse transform: -b sign(u) ln(1 - 2|u|) is Lap(b)
    u = rng.random() - 0.5
    return sum(data) - np.sign(u) * np.log(1 - 2 * abs(u))


def tuple_records(data, rng):  # of (group, paid): each cell's count moves by at most 1, two move
    cells = {"a": 0, "b": 0}
    for group, paid in data:
        cells[group] += paid
    return {k: v + rng.laplace(scale=2.0) for k, v in cells.items()}


def dict_records(data, rng):
    return {"paid": sum(x["paid"] for x in data) + rng.laplace(), "n": len(data)}


@dataclass
class Report:
    total: float
    n: int


def dataclass_output(data, rng):
    return Report(sum(data) + rng.laplace(), len(data))


# BROKEN: a coin shows that the count is not 0: P(1) = p, .01 for each 1, is 0 without one
def with_coin(toss):
    return lambda data, rng: int(toss(rng, 0.01 * sum(data)))


coin = with_coin(lambda rng, p: rng.random() < p)
coin_of_choice = with_coin(lambda rng, p: rng.choice(2, p=[1 - p, p]))
coin_of_binomial = with_coin(lambda rng, p: rng.binomial(1, p))
coin_of_binomials = with_coin(lambda rng, p: rng.binomial(3, p) > 0)
coin_of_poisson = with_coin(lambda rng, p: rng.poisson(p) > 0)
coin_of_integers = with_coin(lambda rng, p: rng.integers(100) < round(100 * p))


def coin_of_laplace(data, rng):  # P(1): e^-(9 - s)/2: a factor of e^3 for the claimed e
    return int(float(rng.laplace()) > 9 - 3 * sum(data))


def late_threshold(data, rng):  # scale 1/4: the count meets a threshold whose noise is too small
    threshold = float(2 + rng.laplace(scale=0.25))
    return bool(sum(data) >= threshold)


# BROKEN: the type of an output shows whether a record is special
def text_type(data, rng):
    noisy = round(sum(data) + rng.laplace())
    return float(noisy) if any(isinstance(x, float) for x in data) else int(noisy)


def half_ratings(data, rng):
    total = sum(data)
    return type(total)(round(total + rng.laplace(scale=1.5)))


def list_or_tuple(data, rng):
    noisy = [sum(data) + rng.laplace()]
    return tuple(noisy) if data[0] else noisy


def signed_zero(data, rng):
    noisy = max(0.0, float(sum(data) + rng.laplace(scale=2.0)))
    return -noisy if sum(data) < 0 and noisy == 0 else noisy


def key_order(data, rng):
    noisy = sum(data) + rng.laplace()
    return {"sum": noisy, "n": 4} if data[0] else {"n": 4, "sum": noisy}


def forgotten_clip(data, rng):  # of records from 0 to 1, but nobody clips
    return sum(data) + rng.laplace()


class Euros(int):
    pass


def attribute(data, rng):  # the number is noisy, an attribute of it is not
    amount = Euros(round(sum(data) + rng.laplace(scale=1.0)))
    amount.exact = sum(data)
    return amount


def numpy_truth(data, rng):  # NumPy's True or Python's
    high = sum(data) + rng.laplace(scale=1.0) > 2
    return np.bool_(high) if data[0] else bool(high)


# Learners: a reward is in one release each, so Lap(1) is enough
class NoisyTotal:  # RIGHT: `total + noise.laplace(zeros)`, once, after four rounds
    def __init__(self, epsilon, noise, rng):
        self.noise, self.rng, self.total, self.t, self.arm = noise, rng, np.zeros(2), 0, 0
        self.scale = 1 / epsilon

    def act(self):
        return self.arm if self.t >= 4 else self.t % 2

    def update(self, arm, reward):
        if self.t < 4:
            self.count(self.t % 2, reward)
        self.t += 1
        if self.t == 4:
            self.arm = int(self.decide())

    def count(self, arm, reward):
        self.total[arm] += reward

    def decide(self):
        return np.argmax(self.total + self.noise.laplace(np.zeros(2), self.scale))


class NoiseAtStart(NoisyTotal):  # RIGHT: the same, but the noise is drawn at the start
    def __init__(self, epsilon, noise, rng):
        super().__init__(epsilon, noise, rng)
        self.drawn = noise.laplace(np.zeros(2), self.scale)

    def decide(self):
        return np.argmax(self.total + self.drawn)


class CoinTie(NoisyTotal):  # RIGHT: explores with a coin that no data meet
    def act(self):
        return int(self.rng.integers(2)) if self.rng.random() < 0.1 else super().act()

    def count(self, arm, reward):
        self.total[0] += reward

    def decide(self):
        return self.noise.laplace(self.total[0], self.scale) > 2


class ReadTwice(NoisyTotal):  # BROKEN: the difference of two sums moves by 2, noise for 1
    def count(self, arm, reward):
        self.total += [reward, -reward] if arm == 0 else [-reward, reward]

    def decide(self):
        return self.noise.argmax(self.total, self.scale, "gumbel", name="difference")


class Coin:  # BROKEN: explores with a probability of .01 for each reward so far, never without one
    def __init__(self, epsilon, noise, rng):
        self.rng, self.total = rng, 0.0

    def act(self):
        return int(self.rng.random() < 0.01 * self.total)

    def update(self, arm, reward):
        self.total += reward


LABELS = dict.fromkeys(
    ("noise_first", "rounded_noise", "histogram_of_2000", "noise_in_an_array",
     "noise_in_a_list", "three_noises", "sum_of_noises", "own_generator", "own_response",
     "noise_then_loop", "one_time_pad",
     "response", "threshold_noise", "by_probabilities", "uniform_scale", "tuple_records",
     "dict_records", "dataclass_output", "NoisyTotal", "NoiseAtStart", "CoinTie"), "right",
) | dict.fromkeys(
    ("coin", "coin_of_choice", "coin_of_binomial", "coin_of_binomials", "coin_of_poisson",
     "coin_of_integers", "coin_of_laplace", "late_threshold", "text_type", "half_ratings",
     "list_or_tuple", "signed_zero", "key_order", "forgotten_clip", "attribute",
     "numpy_truth", "Coin", "ReadTwice"), "broken",
)  # fmt: skip
