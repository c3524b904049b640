"""A lazy learner of two arms: a noisy sum of each epoch's rewards, epochs double."""

DEFECT = "an epoch's sum is not reset"
RECORDS = 3


class sound:
    reset = True

    def __init__(self, epsilon, noise, rng):
        self.epsilon, self.noise = epsilon, noise
        self.means, self.arm, self.length = [1.0, 1.0], 0, 1
        self.total, self.rounds = 0.0, 0

    def act(self):
        return self.arm

    def update(self, arm, reward):
        self.total += reward
        self.rounds += 1
        if self.rounds == self.length:
            noisy = self.noise.laplace(self.total, 1 / self.epsilon, name="total")
            self.means[self.arm] = noisy / self.length
            self.arm = int(self.means[1] > self.means[0])
            self.length, self.rounds = 2 * self.length, 0
            if self.reset:
                self.total = 0.0


class broken(sound):
    reset = False
