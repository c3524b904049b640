"""Anytime-Lazy-UCB on a table of rewards, many runs at once, sound or with a defect of the zoo.

Written apart from `lazy`, round by round, so that the exact auditor is checked against it.
"""

import math

import numpy as np


def simulate_lazy(
    rewards: np.ndarray, epsilon: float, noise: float, defect: str, runs: int,
    generator: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """Transcripts of two arms as integers, bit t - 1 for round t."""
    everyone, horizon = np.arange(runs), len(rewards)
    scale, code = noise / epsilon, np.zeros(runs, np.int64)
    mean, used = np.zeros((runs, 2)), np.ones((runs, 2))  # used: observations behind the mean
    length = np.ones((runs, 2))  # of the last finished epoch
    fresh, total, extra = np.zeros((3, runs, 2))  # extra: observations carried over
    for t in range(1, horizon + 1):
        if t <= 2:
            arm = np.full(runs, t - 1)
        else:
            linear = 3 * math.log(t) / used
            arm = (mean + np.sqrt(linear) + linear / epsilon).argmax(axis=1)
        reward = rewards[t - 1][arm]
        code |= arm << (t - 1)
        total[everyone, arm] += reward
        fresh[everyone, arm] += 1
        ends = fresh[everyone, arm] == (1 if t <= 2 else 2 * length[everyone, arm])
        who, its = everyone[ends], arm[ends]
        count = fresh[who, its] + extra[who, its]
        draws = generator.laplace(scale=scale, size=len(who))
        mean[who, its] = (total[who, its] + draws) / count
        used[who, its], length[who, its] = count, fresh[who, its]
        fresh[who, its] = 0
        if defect == "sum not forgotten":
            extra[who, its] = count
        elif defect == "off-by-one epoch":
            extra[who, its], total[who, its] = 1, reward[ends]
        else:
            total[who, its] = 0
    return code
