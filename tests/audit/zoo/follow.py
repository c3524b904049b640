"""A learner that follows the noisy leader of all rounds so far, budget split over three looks."""

import numpy as np

DEFECT = "a reward is read twice"
RECORDS = 6


class sound:
    times = 1

    def __init__(self, epsilon, noise, rng):
        self.epsilon, self.noise, self.arm, self.t = epsilon, noise, 0, 0
        self.total = np.zeros(2)

    def act(self):
        return self.arm

    def update(self, arm, reward):
        self.t += 1
        self.total[self.arm] += self.times * reward
        if self.t % 2 == 0:
            self.arm = self.noise.argmax(self.total, 3 / self.epsilon, "exponential", name="total")


class broken(sound):
    times = 2
