"""RIGHT. Each arm sums its rewards with a binary tree. A round's reward goes to one arm and
is in at most `levels` = bit_length(T) nodes of that arm's tree (an arm is pulled at most T
times), each with Laplace levels / EPSILON. Indices and actions use noisy nodes only; T is
public under replacement."""

import math

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(0, 0), (0, 1), (1, 0), (1, 1)]
NEIGHBOURS = "replace"


class TreeSum:
    def __init__(self, levels, rng):
        self.count = 0
        self.exact = [0.0] * levels
        self.noisy = [0.0] * levels
        self.scale = levels / EPSILON
        self.rng = rng

    def add(self, x):
        self.count += 1
        top = (self.count & -self.count).bit_length() - 1
        self.exact[top] = sum(self.exact[:top]) + x
        for lower in range(top):
            self.exact[lower] = self.noisy[lower] = 0.0
        self.noisy[top] = self.exact[top] + self.rng.laplace(0, self.scale)

    def value(self):
        return sum(v for i, v in enumerate(self.noisy) if self.count >> i & 1)


def f(data, rng):
    levels = len(data).bit_length()
    arms = [TreeSum(levels, rng) for _ in range(2)]
    actions = []
    for t, rewards in enumerate(data):
        index = [
            math.inf
            if arm.count == 0
            else arm.value() / arm.count + math.sqrt(2 * math.log(t + 1) / arm.count)
            for arm in arms
        ]
        arm = index.index(max(index))
        arms[arm].add(rewards[arm])
        actions.append(arm)
    return actions
