"""BROKEN (factor 2 at four rounds, 3 at six). After each phase the mean of all rewards so far
is released with Laplace noise for one use, so the first reward of an arm is paid for once and
used in every phase that the arm survives. Four rounds of zeros, the first replaced by (1, 0):
both sums of arm 0 move by 1 when no arm is dropped: loss 2 EPSILON."""

EPSILON = 0.8
DELTA = 0.0
RECORDS = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)]
NEIGHBOURS = "replace"


def f(data, rng):
    rewards = {0: [], 1: []}
    active = [0, 1]
    released = []
    t = 0
    while t + len(active) <= len(data):
        for arm in active:
            rewards[arm].append(data[t][arm])
            t += 1
        means = {}
        for arm in active:
            n = len(rewards[arm])
            means[arm] = sum(rewards[arm]) / n + rng.laplace(0, 1 / (n * EPSILON))
        released.append(means)
        best = max(means.values())
        active = [arm for arm in active if means[arm] > best - 2.0]
    return released
