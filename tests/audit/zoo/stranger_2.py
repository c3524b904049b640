"""Twenty small programs that claim pure epsilon = 1 for the replacement of one record.

len(data) is public.  All derivations treat noise as exact real numbers (or integers) and ignore
floating point artefacts.  For learners the output is the sequence of actions, and neighbours
differ in one reward in [0, 1].
"""

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
    # RIGHT.
    # Records are (variant, converted).  The four noisy counts are a histogram of disjoint cells:
    # replacing a record lowers one cell by 1 and raises another by 1, L1 sensitivity 2, and every
    # cell gets Laplace of scale 2, so the loss is at most 2 * 1/2 = 1.  The denominators are sums
    # of noisy cells; rates, clipping, lift and rounding are post-processing.
    count = PrivateCounter(rng, epsilon=1.0, sensitivity=2.0)
    rates = []
    for variant in (0, 1):
        bad = count(lambda row: row[0] == variant and row[1] == 0, data)
        good = count(lambda row: row[0] == variant and row[1] == 1, data)
        rate = good / max(good + bad, 1.0)
        rates.append(round(min(max(rate, 0.0), 1.0), 4))
    return {"control": rates[0], "treatment": rates[1], "lift": round(rates[1] - rates[0], 4)}


def geometric_counter(data, rng):
    # RIGHT.
    # The difference of two independent geometric(p) draws has P(k) = p / (2 - p) * (1 - p)^|k|
    # (the offset of 1 cancels).  With p = 1 - 1/e neighbouring counts (they differ by 1) have
    # ratio at most e at each integer.  Clamping to [0, n] with n public is post-processing.
    # Loss exactly 1: for counts 0 and 1, P(out = 0) = P(Z <= 0) against P(Z <= -1), ratio e.
    p = 1.0 - math.exp(-1.0)
    noisy = sum(data) + rng.geometric(p) - rng.geometric(p)
    return int(min(max(noisy, 0), len(data)))


def median_age(data, rng):
    # RIGHT.
    # Exponential mechanism on a fixed public grid.  u(c) = -|#{x < c} + #{x <= c} - n| / 2.
    # Replacing a record moves each of the two counts by at most 1, so u moves by at most 1;
    # p ~ exp(u / 2) has loss at most 2 * (1/2) * 1 = 1 (numerator and normaliser, 1/2 each).
    grid = np.array(VALUES["median_age"])
    x = np.asarray(data, dtype=float)
    below = np.array([np.sum(x < c) for c in grid])
    upto = np.array([np.sum(x <= c) for c in grid])
    utility = -np.abs(below + upto - len(x)) / 2.0
    weights = np.exp((utility - utility.max()) / 2.0)
    return float(rng.choice(grid, p=weights / weights.sum()))


def survey_binomial(data, rng):
    # RIGHT.
    # The sum of per-person randomised responses with truth probability p = e / (1 + e), drawn as
    # two binomials: binomial(yes, p) + binomial(no, 1 - p) has just the distribution of the sum
    # of n independent flipped bits.  Each bit has loss ln(p / (1 - p)) = 1, the sum is a function
    # of the bits, and the estimate is a public affine map.  Loss exactly 1: total = n has
    # probability p^yes * (1 - p)^no, which changes by a factor e.
    n, yes = len(data), sum(data)
    p = math.e / (1.0 + math.e)
    total = rng.binomial(yes, p) + rng.binomial(n - yes, 1.0 - p)
    estimate = (total - n * (1.0 - p)) / (2.0 * p - 1.0)
    return Tally(rows=n, estimate=round(float(estimate), 2))


def shuffled_survey(data, rng):
    # RIGHT.
    # Three-way randomised response: keep with probability (e - 1) / (e + 2), otherwise uniform
    # over all three answers (the true one included).  P(v | v) = (e - 1 + 1) / (e + 2) and
    # P(w | v) = 1 / (e + 2), ratio e, loss 1 per record; records are independent and the shuffle
    # is post-processing.  Loss exactly 1: "all answers are v" changes by a factor e.
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
    # BROKEN.
    # Users per plan with Laplace scale 1: right if a record is added or removed (one cell moves),
    # but a replacement moves two cells by 1 each, loss 2.  data [0] against [1], event
    # "free >= 2 and pro <= -1": (e^-1 / 2) * (e^-1 / 2) = 0.0338 against
    # (e^-2 / 2) * (e^-2 / 2) = 0.0046, loss 2
    # before rounding; rounding to 0.1 moves the edges to 1.95 and -0.95, same ratio e^2.
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3)
    noisy = counts + rng.laplace(size=3)
    return {plan: round(float(v), 1) for plan, v in zip(("free", "pro", "team"), noisy)}


def signed_geometric(data, rng):
    # BROKEN.
    # Random sign times (geometric - 1): zero is reached by both signs, so P(Z = 0) = p while
    # P(Z = k) = p * e^-|k| / 2 for k != 0, with p = 1 - 1/e.  Zero is twice too likely.
    # Counts 0 and 1 (data [0] against [1]), event out = 0: p = 0.632 against p / (2e) = 0.1163,
    # ratio 2e, loss 1 + ln 2 = 1.693.
    p = 1.0 - math.exp(-1.0)
    sign = 1 if rng.random() < 0.5 else -1
    return int(sum(data) + sign * (rng.geometric(p) - 1))


def top_two(data, rng):
    # BROKEN.
    # Gumbel noise of scale 2 is right for ONE pick (p ~ exp(count / 2)); the two ordered picks
    # are two exponential mechanisms in a row.  Replacement A -> B with w = exp(count / 2),
    # event (A, C): w_A / W * w_C / (w_B + w_C).  Each of w_A, W, w_B + w_C gives up to 1/2, so
    # the loss tends to 3/2 as B dominates.  It passes 1 at n = 3: data [0, 1, 1] against
    # [1, 1, 1], event (0, 2): 0.0826 against 0.0281, loss 1.077.
    # n = 6, [0, 1, 1, 1, 1, 1] against [1] * 6, same event: 0.00844 against 0.00215, loss 1.368.
    # For n = 1 and 2 the exact worst loss over all outputs is 0.781 and 0.933, within the claim.
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3)
    noisy = counts + rng.gumbel(0.0, 2.0, size=3)
    order = np.argsort(-noisy)
    return tuple(int(i) for i in order[:2])


def winner_and_score(data, rng):
    # BROKEN.
    # The index of the noisy maximum with exponential noise of scale 2 is fine, its noisy value is
    # not: the noise is never negative, so the score is at least the true largest count.
    # data [0, 1] (largest count 1) against [0, 0] (largest count 2), event score < 2:
    # (1 - e^-0.5)^2 * (1 - e^-1) = 0.0979 against 0, loss infinite.
    counts = np.bincount(np.asarray(data, dtype=int), minlength=3)
    noisy = counts + rng.exponential(2.0, size=3)
    best = int(np.argmax(noisy))
    return best, float(noisy[best])


def cached_counts(data, rng):
    # BROKEN.
    # Laplace scale 2 would do for the histogram (L1 sensitivity 2), but the cache hands out the
    # same noise to equal true counts, so outputs are equal if and only if true counts are equal.
    # data [0] gives counts (1, 0, 0), data [1] gives (0, 1, 0): event out[1] == out[2] has
    # probability 1 against 0, loss infinite.
    cache = {}

    def privatise(value):
        if value not in cache:
            cache[value] = value + rng.laplace(loc=0.0, scale=2.0)
        return cache[value]

    return [privatise(sum(1 for row in data if row == k)) for k in (0, 1, 2)]


def click_rate(data, rng):
    # BROKEN.
    # Records are (in_segment, clicked).  Only the numerator is noised; the segment size divides
    # the noise as well and is private.  [(1, 0), (1, 0)] (2 views) against [(1, 0), (0, 0)]
    # (1 view), no clicks in both, event rate > 2: P(Lap > 4) = e^-4 / 2 = 0.0092 against
    # P(Lap > 2) = e^-2 / 2 = 0.0677, loss 2; event rate > t gives loss t, so it is unbounded.
    # (At n = 1 the denominator is always 1 and the loss is 1; two records are needed.)
    segment = [row for row in data if row[0] == 1]
    clicks = sum(row[1] for row in segment)
    noisy_clicks = rng.laplace(loc=clicks, scale=1.0)
    return float(noisy_clicks / max(len(segment), 1))


def averaged_noise(data, rng):
    # BROKEN.
    # The average of two Laplace(1) draws has P(Z > t) = (1 + t) * e^(-2t) / 2 for t >= 0, density
    # (1 + 2|z|) * e^(-2|z|) / 2: the tails are those of scale 1/2, loss tends to 2.
    # Counts 1 and 0 (data [1] against [0]), event out > 2: P(Z > 1) = 0.1353 against
    # P(Z > 2) = 0.0275, ratio 4.93, loss 1.594.
    noise = np.mean(rng.laplace(0, 1.0, size=2))
    return float(sum(data) + noise)


def tidy_total(data, rng):
    # BROKEN.
    # Basket values lie in [0, 50], so Laplace scale 50 is right for the sum, but the rounding step
    # is chosen by the TRUE total.  data [50] (total 50, step 10) against [5] (total 5, step 1),
    # event "out is not a multiple of 10": 0 against about 0.9, loss infinite.
    total = sum(data)
    noisy = total + rng.laplace(0.0, 50.0)
    step = 10 if total >= 20 else 1
    return int(round(noisy / step) * step)


class ExploreThenCommit:
    # RIGHT.
    # Arms alternate for 2 pulls each, whatever the rewards, then one noisy comparison fixes the
    # rest.  A reward enters one of the two sums, once, and moves it by at most 1.  Given the other
    # arm's noise, the winner is a threshold event on this arm's Laplace noise of scale 1/eps, so
    # each outcome changes by a factor of at most e^eps: loss at most 1 (scale 2/eps is not needed
    # because only one coordinate moves).  Rewards after the commit are not read.

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
    # RIGHT.
    # Epoch lengths depend on past pull counts only (1, 1, then as many pulls as the arm has had).
    # Each reward enters the sum of its own epoch, which is reset, and that sum (sensitivity 1) is
    # read once through Laplace of scale 1/eps.  The indices use noisy means, pull counts and time.
    # Given the past actions only one noisy release is moved by a reward, by at most 1: loss at
    # most 1; everything after it is post-processing.

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
    # RIGHT.
    # All noise is drawn at the start as a vector of independent Laplace(1/eps), and epoch k (3
    # pulls, fixed) uses entry k for its own sum, once; this is the same as drawing it at the end
    # of the epoch.  Each reward enters one epoch sum (sensitivity 1); the running totals add noisy
    # sums only, exploration does not read rewards, and learning stops when the noise is used up.
    # Loss at most 1.

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
    # BROKEN.
    # One decision by Gumbel noise of scale 1/eps is eps-DP in one reward, but every step decides
    # again on the same sums with fresh noise, so the losses add up over time.
    # Rewards (1, 0, 0, 0) against (0, 0, 0, 0), event actions (0, 1, 1, 1):
    # (1 / (1 + e))^2 = 0.0723 against 0.25, loss 1.240 at horizon 4; 0.620 more at each further
    # step of the same kind.

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
    # BROKEN.
    # Epoch sums are noised properly, but an epoch ends after 4 pulls or as soon as its RAW sum
    # reaches 2, and the first epoch is followed by a switch to arm 1, so the switch time shows the
    # raw rewards.  Rewards (1, 1, ...) against (1, 0, ...), event "third action is 1": 1 against
    # 0, loss infinite (horizon 3).

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
    # BROKEN.
    # Explore then commit with scale 0.5/eps on each sum, "since the comparison has two noises".
    # D, the difference of two Laplace(1/2) draws, has P(D > t) = (1 + t) * e^(-2t) / 2 for t >= 0.
    # Arms are 0, 1, 0, 1 first.  Rewards (0, 1, 0, 0) (sums 0 and 1) against (0, 1, 0, 1) (sums 0
    # and 2), event "fifth action is 0": P(D > 1) = 0.1353 against P(D > 2) = 0.0275, ratio 4.93,
    # loss 1.594 (horizon 5).

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
    # BROKEN.
    # Arm 0 is pulled twice and its mean released properly (sum + Laplace(1/eps), divided by 2).
    # Then arm 1 is kept while its RAW last reward is at least that noisy mean; otherwise arm 0 is
    # played for one step.  The only randomness in the comparison is Laplace of scale 1/2, too
    # little for a raw reward in [0, 1], and it is reused at each later comparison too.
    # Rewards (1, 1, 1, ...) against (1, 1, 0, ...), event "fourth action is 1" (actions so far
    # 0, 0, 1): P(Z <= 0) = 0.5 against P(Z <= -1) = e^-2 / 2 = 0.0677, loss 2 (horizon 4); longer
    # horizons give at least this.

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


LABELS = {
    "ab_test_lift": "right",
    "geometric_counter": "right",
    "median_age": "right",
    "survey_binomial": "right",
    "shuffled_survey": "right",
    "plan_dashboard": "broken",
    "signed_geometric": "broken",
    "top_two": "broken",
    "winner_and_score": "broken",
    "cached_counts": "broken",
    "click_rate": "broken",
    "averaged_noise": "broken",
    "tidy_total": "broken",
    "ExploreThenCommit": "right",
    "EpochUCB": "right",
    "PredrawnGreedy": "right",
    "RefreshingLeader": "broken",
    "StopEarlyEpochs": "broken",
    "HalfNoiseCommit": "broken",
    "ChallengerWinStay": "broken",
}
