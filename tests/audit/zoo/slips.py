"""Slips that public implementations of private bandits have, in our own words: each program is
right, and with `broken` it has the slip, whose loss its docstring derives. The claim is epsilon 1
for one replaced reward; docs/what-goes-wrong.md shows each."""

import math

import numpy as np

VALUES = {"Losses": [-1.0, 0.0, 1.0]}
RECORDS = dict.fromkeys(
    ("AllArms", "Location", "FirstChoice", "SignOfGradient", "TreeDepth", "BetweenPowers",
     "DividedTwice", "TreeRedrawn", "Losses", "Polya"), 6,
)  # fmt: skip


class Policy:
    """Two arms in turn, rewards summed; every second round the sums get noise once."""

    def __init__(self, epsilon, noise, rng, broken=False):
        self.epsilon, self.noise, self.rng, self.broken = epsilon, noise, rng, broken
        self.t, self.arm = 0, 0
        self.sums, self.shown, self.pulls = np.zeros(2), np.zeros(2), np.zeros(2)

    def act(self):
        self.arm = self.t % 2 if self.t < 2 else int(np.argmax(self.shown))
        return self.arm

    def update(self, reward):
        self.sums[self.arm] += reward
        self.pulls[self.arm] += 1
        self.t += 1
        if self.t % 2 == 0:
            self.release()

    def release(self):
        self.shown = self.shown + self.noisy(self.sums, 1 / self.epsilon)
        self.sums = np.zeros(2)

    def noisy(self, values, scale):
        return self.noise.laplace(values, scale)


class AllArms(Policy):
    """One draw of noise is added to all arms: it cancels in every comparison. Loses infinity."""

    def noisy(self, values, scale):
        one = self.noise.laplace(0.0, scale)
        return values + one if self.broken else super().noisy(values, scale)


class Location(Policy):
    """`laplace(scale)` sets the location; the scale is 1 whatever epsilon is: 2 sums of rewards up
    to 2 lose 2."""

    def noisy(self, values, scale):
        doubled = 2 * values  # of rewards in [0, 2]
        where = {"loc": 2 * scale} if self.broken else {"scale": 2 * scale}
        return doubled + self.rng.laplace(size=2, **where)


class FirstChoice(Policy):
    """The first decision is made before the first noise. Loses infinity."""

    def act(self):
        if self.broken and self.t == 1:
            self.arm = int(self.sums[0] < 1)
            return self.arm
        return super().act()


class SignOfGradient(Policy):
    """The noise goes to the size of the step, the sign is that of the true reward. Loses
    infinity."""

    def release(self):
        total = self.sums[0] - self.sums[1]
        noisy = self.noise.laplace(total, 1 / self.epsilon)
        step = abs(noisy) * np.sign(total) if self.broken else noisy
        self.shown = self.shown + np.array([step, -step])
        self.sums = np.zeros(2)


class TreeDepth(Policy):
    """Binary counting of the rewards of arm 0, four rounds: three levels. int(ln 4) + 1 = 2 are
    accounted for: three nodes lose 3/2."""

    def __init__(self, epsilon, noise, rng, broken=False):
        super().__init__(epsilon, noise, rng, broken)
        self.rewards, self.nodes = [], {}

    def levels(self):
        return int(math.log(4)) + 1 if self.broken else 3

    def update(self, reward):
        self.t += 1
        if self.t > 4:
            return
        self.rewards.append(reward)
        for size in (1, 2, 4):
            if self.t % size == 0:
                total = sum(self.rewards[self.t - size :])
                noisy = self.noise.laplace(total, self.levels() / self.epsilon)
                self.nodes[self.t, size] = noisy
        self.shown = np.array([self.prefix(), self.t / 2])

    def prefix(self):
        start, total = 0, 0.0
        for size in (4, 2, 1):
            if self.t & size:
                start += size
                total += self.nodes[start, size]
        return total

    def act(self):  # 0.3 and 0.7 tell the nodes apart
        self.arm = int(self.shown[0] < self.shown[1])
        return round(float(self.shown[0]), 6)


class BetweenPowers(Policy):
    """Noisy sums at powers of two, and between them exact rewards are added. Loses infinity."""

    def update(self, reward):
        super().update(reward)
        if self.broken:
            self.shown[self.arm] += reward

    def release(self):
        self.shown = self.shown + self.noisy(self.sums, 1 / self.epsilon)
        self.sums = np.zeros(2)


class DividedTwice(Policy):
    """The noisy mean is (sum + noise / n) / n: n times too little. At n = 3 loses 3."""

    def update(self, reward):
        self.sums[0] += reward
        self.t += 1
        if self.t == 3:
            if self.broken:
                total = self.sums[0] + self.noise.laplace(0.0, 1 / self.epsilon) / 3
            else:
                total = self.noise.laplace(self.sums[0], 1 / self.epsilon)
            self.shown = np.array([total / 3, 0.5])

    def act(self):
        return round(float(self.shown[0]), 6)


class TreeRedrawn(Policy):
    """The nodes get new noise whenever they are read: six reads of the first reward lose 6."""

    def update(self, reward):
        self.sums[self.t % 2] += reward
        self.t += 1
        if self.broken or self.t == 6:
            self.shown = self.noisy(self.sums, 1 / self.epsilon)


class Losses(Policy):
    """Losses in [-1, 1], noise for [0, 1]: they move by 2, loses 2."""

    def noisy(self, values, scale):
        return super().noisy(values, scale if self.broken else 2 * scale)


class Polya(Policy):
    """Two-sided geometric noise, four times as much as is needed; but the parameter is that of the
    complement, 1 - p: at exp(-1/4) = .78 the tail falls by .22 a step. Loses ln(1/.22) = 1.51."""

    def act(self):
        return int(self.shown[0])

    def release(self):
        if self.t > 2:
            return
        tail = math.exp(-self.epsilon / 4)
        p = tail if self.broken else 1 - tail
        self.shown = [round(self.sums.sum()) + self.rng.geometric(p) - self.rng.geometric(p)]
