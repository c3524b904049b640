"""Anytime-Lazy-UCB on a table of rewards, many runs at once, sound or with a defect of the zoo.

Written apart from `lazy`, round by round, so that the exact auditor is checked against it.
"""

import math

import numpy as np


def simulate_lazy(
    rewards: np.ndarray, epsilon: float, noise: float, defect: str, runs: int,
    generator: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """Transcripts of two arms as integers, bit t - 1 for round t.

    Only the means are each run's own: what else is known is known of a transcript, one row each.
    """
    scale, code = noise / epsilon, np.zeros(runs, np.int64)
    mean, used = np.zeros((2, runs)), np.ones((1, 2))  # used: observations behind the mean
    length = np.ones((1, 2))  # of the last finished epoch
    fresh, total, extra = np.zeros((3, 1, 2))  # extra: observations carried over
    for t in range(1, len(rewards) + 1):
        if t <= 2:
            code |= (t - 1) << (t - 1)
        else:
            linear = 3 * math.log(t) / used.T
            index = mean + np.sqrt(linear)[:, code] + (linear / epsilon)[:, code]
            code |= (index[1] > index[0]).astype(np.int64) << (t - 1)
        every, arm = np.arange(2 * len(used)), np.repeat([0, 1], len(used))
        used, length, fresh, total, extra = (
            np.concatenate([x, x]) for x in (used, length, fresh, total, extra)
        )
        reward = rewards[t - 1][arm]
        total[every, arm] += reward
        fresh[every, arm] += 1
        ends = fresh[every, arm] == (1 if t <= 2 else 2 * length[every, arm])
        count, sums = (fresh + extra)[every, arm], total[every, arm]
        who = np.flatnonzero(ends[code])
        of = code[who]
        mean[arm[of], who] = (sums[of] + generator.laplace(scale=scale, size=len(who))) / count[of]
        its = every[ends], arm[ends]
        used[its], length[its], fresh[its] = count[ends], fresh[its], 0
        if defect == "sum not forgotten":
            extra[its] = count[ends]
        elif defect == "off-by-one epoch":
            extra[its], total[its] = 1, reward[ends]
        else:
            total[its] = 0
    return code
