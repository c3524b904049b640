"""A learner that plays the arm of the best noisy mean, asked once in three rounds."""

DEFECT = "between two looks it compares raw means"
RECORDS = 6


class sound:
    def __init__(self, epsilon, noise, rng):
        self.epsilon, self.noise, self.t = epsilon, noise, 0
        self.sums, self.noisy, self.arm = [0.0, 0.0], [0.0, 0.0], 0

    def act(self):
        return self.arm

    def update(self, arm, reward):
        self.t += 1
        self.sums[self.arm] += reward
        if self.t % 3 == 0:
            self.noisy = self.noise.laplace(self.sums, 2 / self.epsilon, name="sums")
        self.arm = self.choose()

    def choose(self):
        return int(self.noisy[1] >= self.noisy[0])


class broken(sound):
    def choose(self):
        return int(self.sums[1] >= self.sums[0]) if self.t % 3 else super().choose()
