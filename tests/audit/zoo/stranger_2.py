"""Programs that claim epsilon = 1 for one replaced record, or reward in [0, 1]; noise is thought of
as real numbers, and len(data) as public."""

import math
from dataclasses import dataclass

import numpy as np

VALUES = {
    "ab_test_lift": [(0, 0), (0, 1), (1, 0), (1, 1)],
    "median_age": [18.0, 25.0, 40.0, 65.0],
    "shuffled_survey": [0, 1, 2],
    "plan_dashboard": [0, 1, 2],
    "top_two": [0, 1, 2],
    "winner_and_score": [0, 1, 2],
    "cached_counts": [0, 1, 2],
    "click_rate": [(0, 0), (0, 1), (1, 0), (1, 1)],
    "tidy_total": [0, 5, 50],
}


class PrivateCounter:
    """Thin wrapper that hides the generator from the report code."""

    def __init__(self, rng, epsilon, sensitivity):
        self._rng = rng
        self._scale = sensitivity / epsilon

    def __call__(self, predicate, rows):
        true = sum(1 for row in rows if predicate(row))
        return true + self._rng.laplace(scale=self._scale)


@dataclass
class Tally:
    rows: int
    estimate: float


def ab_test_lift(data, rng):
    """RIGHT. Four disjoint cells with noise of scale 2, two of which move by 1; all else is
    computed from them."""
    count = PrivateCounter(rng, epsilon=1.0, sensitivity=2.0)
    rates = []
    for variant in (0, 1):
        bad = count(lambda row: row[0] == variant and row[1] == 0, data)
        good = count(lambda row: row[0] == variant and row[1] == 1, data)
        rate = good / max(good + bad, 1.0)
        rates.append(round(min(max(rate, 0.0), 1.0), 4))
    return {"control": rates[0], "treatment": rates[1], "lift": round(rates[1] - rates[0], 4)}


def geometric_counter(data, rng):
    """RIGHT. A difference of two geometric(1 - 1/e) draws has P(k) ~ e^-|k|: loss 1."""
    p = 1.0 - math.exp(-1.0)
    noisy = sum(data) + rng.geometric(p) - rng.geometric(p)
    return int(min(max(noisy, 0), len(data)))


def median_age(data, rng):
    """RIGHT. The exponential mechanism exp(u/2) on a public grid; u moves by at most 1."""
    grid = np.array(VALUES["median_age"])
    x = np.asarray(data, dtype=float)
    below = np.array([np.sum(x < c) for c in grid])
    upto = np.array([np.sum(x <= c) for c in grid])
    utility = -np.abs(below + upto - len(x)) / 2.0
    weights = np.exp((utility - utility.max()) / 2.0)
    return float(rng.choice(grid, p=weights / weights.sum()))


def survey_binomial(data, rng):
    """RIGHT. The sum of randomised responses with p = e/(1 + e), drawn as two binomials."""
    n, yes = len(data), sum(data)
    p = math.e / (1.0 + math.e)
    total = rng.binomial(yes, p) + rng.binomial(n - yes, 1.0 - p)
    estimate = (total - n * (1.0 - p)) / (2.0 * p - 1.0)
    return Tally(rows=n, estimate=round(float(estimate), 2))


def shuffled_survey(data, rng):
    """RIGHT. P(v | v)/P(v | w) = ((e - 1) + 1)/1 = e for each record; shuffling comes after."""
    names = ("yes", "no", "unsure")
    keep = (math.e - 1.0) / (math.e + 2.0)
    answers = []
    for value in data:
        if rng.random() < keep:
            answers.append(value)
        else:
            answers.append(int(rng.choice(3)))
    return [names[answers[i]] for i in rng.permutation(len(answers))]


def plan_dashboard(data, rng):
    """BROKEN. A replacement moves two cells, scale 1 each: [0] against [1], free >= 2 and pro <=
    -1: loss 2."""
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3)
    noisy = counts + rng.laplace(size=3)
    return {plan: round(float(v), 1) for plan, v in zip(("free", "pro", "team"), noisy)}


def signed_geometric(data, rng):
    """BROKEN. Zero has both signs, so it is twice too likely: [0] against [1], output 0: .632
    against .1163, loss 1 + ln 2."""
    p = 1.0 - math.exp(-1.0)
    sign = 1 if rng.random() < 0.5 else -1
    return int(sum(data) + sign * (rng.geometric(p) - 1))


def top_two(data, rng):
    """BROKEN. Two picks with the noise of one: [0, 1, 1] against [1, 1, 1], output (0, 2): .0826
    against .0281, loss 1.077; with more records it tends to 3/2."""
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3)
    noisy = counts + rng.gumbel(0.0, 2.0, size=3)
    order = np.argsort(-noisy)
    return tuple(int(i) for i in order[:2])


def winner_and_score(data, rng):
    """BROKEN. Exponential noise is positive, so the score is at least the largest count: [0, 1]
    against [0, 0], score < 2: .0979 against 0."""
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3)
    noisy = counts + rng.exponential(2.0, size=3)
    best = int(np.argmax(noisy))
    return best, float(noisy[best])


def cached_counts(data, rng):
    """BROKEN. Equal counts get equal noise: [0] against [1], out[1] == out[2]: 1 against 0."""
    cache = {}

    def privatise(value):
        if value not in cache:
            cache[value] = value + rng.laplace(loc=0.0, scale=2.0)
        return cache[value]

    return [privatise(sum(1 for row in data if row == k)) for k in (0, 1, 2)]


def click_rate(data, rng):
    """BROKEN. The denominator is true: [(1, 0), (1, 0)] against [(1, 0), (0, 0)], rate > t:
    e^(-2t)/2 against e^-t/2, loss t."""
    segment = [row for row in data if row[0] == 1]
    clicks = sum(row[1] for row in segment)
    noisy_clicks = rng.laplace(loc=clicks, scale=1.0)
    return float(noisy_clicks / max(len(segment), 1))


def averaged_noise(data, rng):
    """BROKEN. A mean of two Laplace(1) draws has the tails of scale 1/2: [1] against [0], output >
    2: .1353 against .0275, loss 1.594."""
    noise = np.mean(rng.laplace(0, 1.0, size=2))
    return float(sum(data) + noise)


def tidy_total(data, rng):
    """BROKEN. The step of rounding is that of the true total: [50] against [5], no multiple of 10:
    0 against about .9."""
    total = sum(data)
    noisy = total + rng.laplace(0.0, 50.0)
    step = 10 if total >= 20 else 1
    return int(round(noisy / step) * step)


class ExploreThenCommit:
    """RIGHT. Four rounds in turn, then one noisy comparison with scale 1/epsilon: a reward moves
    one sum by at most 1, which is a threshold for that arm's noise."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.t = 0
        self.sums = np.zeros(2)
        self.choice = None

    def act(self):
        if self.t < 4:
            return self.t % 2
        if self.choice is None:
            self.choice = int(
                self.noise.argmax(self.sums, 1.0 / self.epsilon, law="laplace", name="commit")
            )
        return self.choice

    def update(self, reward):
        if self.t < 4:
            self.sums[self.t % 2] += reward
        self.t += 1


class EpochUCB:
    """RIGHT. Epochs by numbers of pulls; each reward is in one sum, read once with scale
    1/epsilon."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.pulls = [0, 0]
        self.means = [0.0, 0.0]
        self.lengths = [0, 0]
        self.start(0, 1)

    def start(self, arm, length):
        self.arm = arm
        self.length = length
        self.left = length
        self.total = 0.0

    def index(self, arm):
        log_t = math.log(1 + sum(self.pulls))
        bonus = math.sqrt(log_t / (2.0 * self.lengths[arm]))
        return self.means[arm] + bonus + log_t / (self.epsilon * self.lengths[arm])

    def act(self):
        return self.arm

    def update(self, reward):
        self.total += reward
        self.pulls[self.arm] += 1
        self.left -= 1
        if self.left > 0:
            return
        noisy = self.noise.laplace(self.total, 1.0 / self.epsilon, name="epoch")
        self.means[self.arm] = float(noisy) / self.length
        self.lengths[self.arm] = self.length
        if self.pulls[1] == 0:
            self.start(1, 1)
        else:
            arm = 0 if self.index(0) >= self.index(1) else 1
            self.start(arm, self.pulls[arm])


class PredrawnGreedy:
    """RIGHT. The noise of 32 epochs is drawn at the start; each entry is used for one sum."""

    def __init__(self, epsilon, noise, rng):
        self.rng = rng
        self.epochs = 32
        self.z = np.asarray(noise.laplace(np.zeros(self.epochs), 1.0 / epsilon, name="table"))
        self.k = 0
        self.seen = 0
        self.total = 0.0
        self.noisy_sums = [0.0, 0.0]
        self.pulls = [0, 0]
        self.arm = 0

    def act(self):
        return self.arm

    def pick(self):
        if self.pulls[1] == 0:
            return 1
        if self.rng.random() < 0.1:
            return int(self.rng.random() < 0.5)
        means = [self.noisy_sums[a] / self.pulls[a] for a in (0, 1)]
        return 0 if means[0] >= means[1] else 1

    def update(self, reward):
        if self.k >= self.epochs:
            return
        self.total += reward
        self.seen += 1
        if self.seen == 3:
            self.noisy_sums[self.arm] += self.total + float(self.z[self.k])
            self.pulls[self.arm] += 3
            self.k += 1
            self.seen = 0
            self.total = 0.0
            self.arm = self.pick()


class RefreshingLeader:
    """BROKEN. Each round decides again on the same sums: rewards 1, 0, 0, 0 against 0, 0, 0, 0,
    actions 0, 1, 1, 1: 1/(1 + e)^2 = .0723 against 1/4, loss 1.240."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.t = 0
        self.arm = 0
        self.sums = np.zeros(2)

    def act(self):
        if self.t < 2:
            self.arm = self.t
        else:
            self.arm = int(
                self.noise.argmax(self.sums, 1.0 / self.epsilon, law="gumbel", name="leader")
            )
        return self.arm

    def update(self, reward):
        self.sums[self.arm] += reward
        self.t += 1


class StopEarlyEpochs:
    """BROKEN. An epoch ends when its true sum is 2: rewards 1, 1 against 1, 0, the third action is
    1: probability 1 against 0."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.means = [None, None]
        self.arm = 0
        self.total = 0.0
        self.length = 0

    def act(self):
        return self.arm

    def update(self, reward):
        self.total += reward
        self.length += 1
        if self.length < 4 and self.total < 2.0:
            return
        noisy = float(self.noise.laplace(self.total, 1.0 / self.epsilon, name="epoch"))
        self.means[self.arm] = noisy / self.length
        self.total = 0.0
        self.length = 0
        if self.means[1] is None:
            self.arm = 1
        else:
            self.arm = 0 if self.means[0] >= self.means[1] else 1


class HalfNoiseCommit:
    """BROKEN. Scale 1/2 on each sum: rewards 0, 1, 0, 0 against 0, 1, 0, 1, fifth action 0: .1353
    against .0275, loss 1.594."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.t = 0
        self.sums = np.zeros(2)
        self.choice = None

    def act(self):
        if self.choice is not None:
            return self.choice
        return self.t % 2

    def update(self, reward):
        if self.choice is None:
            self.sums[self.t % 2] += reward
            self.t += 1
            if self.t == 4:
                noisy = self.noise.laplace(self.sums, 0.5 / self.epsilon, name="sums")
                self.choice = int(np.argmax(noisy))


class ChallengerWinStay:
    """BROKEN. A true reward against a noisy mean of scale 1/2: rewards 1, 1, 1 against 1, 1, 0,
    fourth action 1: 1/2 against e^-2/2, loss 2."""

    def __init__(self, epsilon, noise, rng):
        self.epsilon = epsilon
        self.noise = noise
        self.t = 0
        self.arm = 0
        self.total = 0.0
        self.bar = None

    def act(self):
        return self.arm

    def update(self, reward):
        self.t += 1
        if self.bar is None:
            self.total += reward
            if self.t == 2:
                noisy = float(self.noise.laplace(self.total, 1.0 / self.epsilon, name="champion"))
                self.bar = noisy / 2.0
                self.arm = 1
        elif self.arm == 1:
            self.arm = 1 if reward >= self.bar else 0
        else:
            self.arm = 1
