"""Learners and data pipelines: 25 right programs and 25 broken ones, written from the
documentation, with their labels, before the auditor was tuned (by ourselves). The claim is
epsilon 1 for one replaced record (a reward); len(data) is public unless NEIGHBOURS says otherwise.
"""

import logging
import math
import statistics
from dataclasses import dataclass

import numpy as np
from scipy import stats

CLICKS = [("x", 0), ("x", 1), ("y", 1)]
VALUES = {
    "signed_local": [-1.0, 0.0, 1.0], "SignedLocal": [-1.0, 0.0, 1.0],
    "rows": [{"age": 20, "paid": 0}, {"age": 60, "paid": 1}, {"age": 60, "paid": 0}],
    "paid_rows": [{"age": 20, "paid": 0}, {"age": 60, "paid": 1}, {"age": 60, "paid": 0}],
    "trimmed": [0, 1, 50], "scaled_by_max": [0, 1, 50], "points": [(0, 0), (1, 0), (1, 1)],
    "points_thin": [(0, 0), (1, 0), (1, 1)], "missing": [0.0, 1.0, math.nan],
    "missing_kept": [0.0, 1.0, math.nan], "words": ["hi", "hi you", "oh"],
    "all_words": ["hi", "hi you", "oh"],
} | dict.fromkeys(("rates", "true_rates", "cross", "cross_thin"), CLICKS)  # fmt: skip
NEIGHBOURS = {"size": "remove", "true_size": "remove"}
DELTA = {"gauss_steps": 1e-5, "gauss_steps_thin": 1e-5}
RECORDS = dict.fromkeys(
    ("Commit", "Epochs", "Noisy", "Batches", "Soft", "Halves", "LeastSquares", "Window",
     "SignedLocal", "Greedy", "Thin", "Kept", "Early", "PeekedBonus", "Reward", "SharedBatch",
     "TrueTie", "Momentum", "StopWhenSure", "Remembers"), 5,
)  # fmt: skip


# Learners: two arms, act() and update(reward)
class Base:
    scale, every = 1.0, 2

    def __init__(self, epsilon, noise, rng):
        self.epsilon, self.noise, self.rng = epsilon, noise, rng
        self.t, self.arm = 0, 0
        self.sums, self.pulls, self.shown = np.zeros(2), np.zeros(2), np.zeros(2)

    def act(self):
        return self.arm

    def update(self, reward):
        self.sums[self.arm] += reward
        self.pulls[self.arm] += 1
        self.t += 1
        if self.t % self.every == 0:
            self.look()

    def look(self):
        """Each reward is in one batch: Lap(1/epsilon) on its sums."""
        self.shown += self.noise.laplace(self.sums, self.scale / self.epsilon)
        self.sums = np.zeros(2)
        self.arm = int(np.argmax(self.shown / np.maximum(self.pulls, 1)))


class Batches(Base):
    """RIGHT. As above."""


class Commit(Base):
    """RIGHT. Two rounds of each arm, one noisy look, then the same arm for ever."""

    every = 4

    def act(self):
        self.arm = self.t % 2 if self.t < 4 else self.best
        return self.arm

    def look(self):
        if self.t == 4:
            self.best = int(np.argmax(self.noise.laplace(self.sums, 1 / self.epsilon)))


class Epochs(Base):
    """RIGHT. Epochs of one arm that double; an index of noisy means and numbers of rounds."""

    def update(self, reward):
        self.sums[self.arm] += reward
        self.t += 1
        if self.t in (1, 3, 7):
            self.shown[self.arm] = self.noise.laplace(self.sums[self.arm], 1 / self.epsilon)
            self.pulls[self.arm] = self.t
            self.sums[self.arm] = 0.0
            bonus = np.sqrt(np.log(self.t + 1) / np.maximum(self.pulls, 1e-9))
            self.arm = int(np.argmax(self.shown / np.maximum(self.pulls, 1) + bonus))


class Soft(Base):
    """RIGHT. Actions drawn from a softmax of noisy sums."""

    def act(self):
        weights = np.exp(self.shown - self.shown.max())
        self.arm = int(self.rng.choice(2, p=weights / weights.sum()))
        return self.arm

    def look(self):
        self.shown += self.noise.laplace(self.sums, 1 / self.epsilon)
        self.sums = np.zeros(2)


class Halves(Base):
    """RIGHT. The noisy leader of each batch: one sum moves by 1, Lap(1) on both."""

    def look(self):
        self.arm = self.noise.argmax(self.sums, 1 / self.epsilon)
        self.sums = np.zeros(2)


class Noisy(Base):
    """RIGHT. Local: each reward gets noise at once; everything else uses that."""

    every = 1

    def update(self, reward):
        super().update(float(self.noise.laplace(reward, 1 / self.epsilon)))

    def look(self):
        self.shown = self.sums
        self.arm = int(self.shown[1] > self.shown[0])


class SignedLocal(Base):
    """RIGHT. Rewards in [-1, 1] move by 2, Lap(2)."""

    every = 1

    def update(self, reward):
        super().update(float(self.noise.laplace(reward, 2 / self.epsilon)))

    def look(self):
        self.arm = int(self.sums[1] > self.sums[0])


class Greedy(Base):
    """RIGHT. Explores with a coin that no data meet."""

    def act(self):
        self.arm = int(self.rng.integers(2)) if self.rng.random() < 0.2 else int(
            self.shown[1] > self.shown[0]
        )  # fmt: skip
        return self.arm

    def look(self):
        self.shown += self.noise.laplace(self.sums, 1 / self.epsilon)
        self.sums = np.zeros(2)


class Window(Base):
    """RIGHT. The last two batches together; each batch has been noised once."""

    def __init__(self, epsilon, noise, rng):
        super().__init__(epsilon, noise, rng)
        self.batches = []

    def look(self):
        self.batches.append(self.noise.laplace(self.sums, 1 / self.epsilon))
        self.sums = np.zeros(2)
        self.arm = int(np.argmax(sum(self.batches[-2:])))


class LeastSquares(Base):
    """RIGHT. Two statistics of each batch, with half the budget each."""

    def look(self):
        total = self.noise.laplace(self.sums.sum(), 2 / self.epsilon)
        ahead = self.noise.laplace(self.sums[1] - self.sums[0], 2 / self.epsilon)
        self.sums = np.zeros(2)
        self.arm = int(ahead > 0.1 * total)


class Thin(Base):
    """BROKEN. Half of the noise; the next action shows an argmax of it: one sum moves by 1,
    Lap(1/2): far in the tail e^2."""

    scale = 0.5


class Kept(Base):
    """BROKEN. Sums are not reset: the first reward is in each look."""

    def look(self):
        self.arm = int(np.argmax(self.noise.laplace(self.sums, 1 / self.epsilon)))


class Early(Base):
    """BROKEN. Before the first look the arm is that of the true sums."""

    def act(self):
        if self.t < 2 and self.sums[0] < self.t:
            self.arm = 1
        return self.arm


class PeekedBonus(Base):
    """BROKEN. The bonus holds a true variance."""

    def look(self):
        means = self.sums / np.maximum(self.pulls, 1)
        bonus = np.sqrt(means * (1 - means))
        noisy = self.noise.laplace(self.sums, 100 / self.epsilon)
        self.arm = int(noisy[1] - noisy[0] > 0) if bonus[0] > 0 else 0


class Reward(Base):
    """BROKEN. Stays after a reward of 1 (win-stay), without noise."""

    every = 1

    def update(self, reward):
        self.arm = self.arm if reward else 1 - self.arm


class SharedBatch(Base):
    """BROKEN. One draw for both arms cancels in the comparison. (A wrong label: arm 1 is never
    played, so that its sum is 0 and nothing is ever shown.)"""

    def look(self):
        self.shown = self.sums + self.noise.laplace(0.0, 1 / self.epsilon)
        self.sums = np.zeros(2)
        self.arm = int(np.argmax(self.shown))


class TrueTie(Base):
    """BROKEN. Keeps the arm if nothing was won."""

    def look(self):
        if self.sums.any():
            super().look()
        else:
            self.arm = 0


class Momentum(Base):
    """BROKEN. Half of each true sum is carried into the next batch: loses 1 + 1/2."""

    def look(self):
        self.arm = int(np.argmax(self.noise.laplace(self.sums, 1 / self.epsilon)))
        self.sums = self.sums / 2


class StopWhenSure(Base):
    """BROKEN. A batch ends as soon as its true sum is 1."""

    def update(self, reward):
        self.sums[self.arm] += reward
        self.t += 1
        if self.sums.sum() >= 1:
            self.look()


class Remembers(Base):
    """BROKEN. Plays the arm that gave the first reward in every fourth round."""

    def update(self, reward):
        if reward and not hasattr(self, "lucky"):
            self.lucky = self.arm
        super().update(reward)
        if self.t % 4 == 3:
            self.arm = getattr(self, "lucky", 1)


# Pipelines
@dataclass
class Report:
    total: float
    share: float


def report(data, rng):
    """RIGHT. Two numbers of one noisy total."""
    total = float(sum(data) + rng.laplace(scale=1.0))
    return Report(total, total / len(data))


def rates(data, rng):
    """RIGHT. Of segment x: clicks and rows move by at most 1 each, Lap(2)."""
    clicks = sum(c for s, c in data if s == "x") + rng.laplace(scale=2.0)
    shown = sum(s == "x" for s, c in data) + rng.laplace(scale=2.0)
    return clicks / max(shown, 1.0)


def rows(data, rng):
    """RIGHT. Who paid by age group: a row is in one cell, two cells move, Lap(2)."""
    cells = {"young": 0, "old": 0}
    for row in data:
        cells["young" if row["age"] < 40 else "old"] += row["paid"]
    return {k: float(v + rng.laplace(scale=2.0)) for k, v in cells.items()}


def trimmed(data, rng):
    """RIGHT. A public cap."""
    return float(np.clip(data, 0, 10).sum() + rng.laplace(scale=10.0))


def points(data, rng):
    """RIGHT. Two coordinates move by 1 each: Lap(2)."""
    return (np.array(data).sum(axis=0) + rng.laplace(scale=2.0, size=2)).tolist()


def missing(data, rng):
    """RIGHT. A missing value counts as 0."""
    return float(np.nan_to_num(np.array(data)).sum() + rng.laplace(scale=1.0))


def words(data, rng):
    """RIGHT. Of each text only its first word, of a public list."""
    first = [text.split()[0] for text in data]
    return {w: first.count(w) + rng.laplace(scale=2.0) for w in ("hi", "you", "oh")}


def cross(data, rng):
    """RIGHT. A cross table, Lap(2), and its row sums."""
    table = np.zeros((2, 2))
    for s, c in data:
        table["xy".index(s), c] += 1
    table += rng.laplace(scale=2.0, size=(2, 2))
    return table.tolist(), table.sum(axis=1).tolist()


def size(data, rng):
    """RIGHT. The number of records, by remove."""
    return len(data) + rng.laplace(scale=1.0)


def by_scipy(data, rng):
    """RIGHT. SciPy's law, with the generator given."""
    return sum(data) + stats.laplace.rvs(scale=1.0, random_state=rng)


def gauss_steps(data, rng):
    """RIGHT. Two Gaussian answers of the same sum: sqrt 2 times as much noise."""
    return [sum(data) + rng.normal(scale=5.3) for _ in range(2)]


def two_shares(data, rng):
    """RIGHT. Noise of two parties, each enough."""
    half = len(data) // 2
    one = sum(data[:half]) + rng.laplace(scale=1.0)
    two = sum(data[half:]) + rng.laplace(scale=1.0)
    return one + two


def retry(data, rng):
    """RIGHT. An error that depends on a noisy number."""
    noisy = float(sum(data) + rng.laplace(scale=1.0))
    if noisy < 0:
        raise ValueError("negative")
    return math.sqrt(noisy)


def logged(data, rng):
    """RIGHT. Logs what it returns."""
    noisy = float(sum(data) + rng.laplace(scale=1.0))
    logging.getLogger("pipeline").info("total %.3f", noisy)
    return noisy


def thresholds(data, rng):
    """RIGHT. Levels of a noisy number."""
    noisy = sum(data) + rng.laplace(scale=1.0)
    return "high" if noisy > 3 else "middle" if noisy > 1 else "low"


def true_rates(data, rng):
    """BROKEN. The number of rows of x, which a record changes, is true."""
    shown = sum(s == "x" for s, c in data)
    clicks = sum(c for s, c in data if s == "x") + rng.laplace(scale=1.0)
    return clicks / max(shown, 1)


def paid_rows(data, rng):
    """BROKEN. Groups appear only when somebody in them paid."""
    cells = {}
    for row in data:
        if row["paid"]:
            cells[row["age"]] = cells.get(row["age"], 0) + 1
    return {k: v + rng.laplace(scale=2.0) for k, v in sorted(cells.items())}


def scaled_by_max(data, rng):
    """BROKEN. Divided by the true maximum, noise of one unit for n of them: 1,1,1,1 is 4, with 50
    in it 1.06."""
    top = max(max(data), 1)
    return sum(x / top for x in data) + rng.laplace(scale=1.0)


def points_thin(data, rng):
    """BROKEN. Both coordinates, Lap(1) each: loses 2."""
    return (np.array(data).sum(axis=0) + rng.laplace(scale=1.0, size=2)).tolist()


def missing_kept(data, rng):
    """BROKEN. NaN stays NaN whatever the noise."""
    return float(np.array(data).sum() + rng.laplace(scale=1.0))


def all_words(data, rng):
    """BROKEN. Every word that occurs, so the words show; two of them may be one person's."""
    found = {}
    for text in data:
        for w in text.split():
            found[w] = found.get(w, 0) + 1
    return {w: found[w] + rng.laplace(scale=2.0) for w in sorted(found)}


def cross_thin(data, rng):
    """BROKEN. Row sums are noised anew, the budget is for the table alone: 1 + 1."""
    table = np.zeros((2, 2))
    for s, c in data:
        table["xy".index(s), c] += 1
    noisy = table + rng.laplace(scale=2.0, size=(2, 2))
    return noisy.tolist(), (table.sum(axis=1) + rng.laplace(scale=2.0, size=2)).tolist()


def true_size(data, rng):
    """BROKEN. By remove, the number of noisy values is that of the records."""
    return [round(float(x + rng.laplace(scale=1.0)), 3) for x in data]


def by_scipy_location(data, rng):
    """BROKEN. The scale is passed as location: Lap(1) around 4, for a sum counted twice."""
    return 2 * sum(data) + stats.laplace.rvs(4.0, random_state=rng)


def gauss_steps_thin(data, rng):
    """BROKEN. Four answers with the sigma of one: mu = 2/3.74, delta(1) = .012."""
    return [sum(data) + rng.normal(scale=3.74) for _ in range(4)]


def one_noise(data, rng):
    """BROKEN. Two halves share their noise: the difference is true."""
    half, noise = len(data) // 2, rng.laplace(scale=1.0)
    return sum(data[:half]) + noise, sum(data[half:]) + noise


def error_of_data(data, rng):
    """BROKEN. Refuses data without a 1."""
    if not any(data):
        raise ValueError("no events")
    return sum(data) + rng.laplace(scale=1.0)


def debug_log(data, rng):
    """BROKEN. A log line of the true total."""
    logging.getLogger("pipeline").debug("total %d", sum(data))
    return sum(data) + rng.laplace(scale=1.0)


def printed(data, rng):
    """BROKEN. Prints the true mean."""
    print("mean", statistics.mean(data))
    return sum(data) + rng.laplace(scale=1.0)


def nearest_level(data, rng):
    """BROKEN. The levels are those of the true sum."""
    noisy = sum(data) + rng.laplace(scale=1.0)
    return "above" if noisy > sum(data) + 1 else f"about {sum(data) // 2 * 2}"
