"""A lazy learner of two arms in a service: a record is (reward, how many rounds later it comes)."""

DEFECT = "a reward counts in the epoch in which it comes: what comes late is in another release"
VALUES = [(0, 0), (1, 0), (0, 2), (1, 2)]
RECORDS = 5


class sound:
    delay = 2  # each counts two rounds after its own, whenever it has come until then

    def __init__(self, epsilon, noise, rng):
        self.epsilon, self.noise, self.t = epsilon, noise, 0
        self.means, self.arm, self.length = [1.0, 1.0], 0, 1
        self.total, self.counted, self.waiting = 0.0, 0, []

    def act(self):
        return self.arm

    def update(self, arm, record):
        reward, late = record
        self.t += 1
        self.waiting.append((self.t + self.counts_after(late), reward))
        for when, reward in list(self.waiting):
            if when == self.t:
                self.waiting.remove((when, reward))
                self.count(reward)

    def counts_after(self, late):
        return self.delay

    def count(self, reward):
        self.total += reward
        self.counted += 1
        if self.counted == self.length:
            noisy = self.noise.laplace(self.total, 1 / self.epsilon, name="total")
            self.means[self.arm] = noisy / self.length
            self.arm = int(self.means[1] > self.means[0])
            self.length, self.counted, self.total = 2 * self.length, 0, 0.0


class broken(sound):
    def counts_after(self, late):
        return int(late)
