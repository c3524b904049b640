"""The exact privacy loss of short runs with two arms, against an adversary who sees the arms.

The law of the played arms is a product of normal probabilities. Rewards may depend on what was
played before (the proof allows it): at every node the adversary takes the reward, 0 or 1, that
loses most. A lower bound of the true worst loss, whose reward may also lie between.
"""

import itertools

import numpy as np
from scipy.special import ndtr


def worst_delta(pre_pulls: int, variance: float, steps: int, epsilons) -> np.ndarray:
    """Per epsilon the largest delta over rewards, if one early reward of arm 0 is replaced.

    steps: decisions after it. Without pre-pulls the first round draws an arm whatever the data;
    its reward is the replaced one, and arm 0 is its name.
    """
    counts = np.array([pre_pulls, pre_pulls]) if pre_pulls else np.array([1, 0])
    starts = itertools.product(range(1, counts[0] + 1), range(counts[1] + 1))
    found = [_from(counts, start, variance, steps, np.asarray(epsilons)) for start in starts]
    return np.max(found, axis=0)


def _from(counts, start, variance, steps, epsilons) -> np.ndarray:
    """From given sums of rewards; the neighbour has one success of arm 0 less. Both directions."""
    n, s = np.array(counts)[:, None], np.array(start, float)[:, None]
    p = q = np.ones(1)
    for _ in range(steps):
        first, other = _law(n, s, variance), _law(n, s - [[1.0], [0.0]], variance)
        p, q = _children(p * first, p * (1 - first)), _children(q * other, q * (1 - other))
        n = np.stack([_children(n[0] + 1, n[0]), _children(n[1], n[1] + 1)])
        s = np.stack([_rewarded(s[0], 1, 0), _rewarded(s[1], 0, 1)])
    grown = np.exp(epsilons)[:, None]
    return np.maximum(_fold(p - grown * q, steps), _fold(q - grown * p, steps))


def _law(n, s, variance):
    """P(arm 0 is played) at each node."""
    mean, spread = s / (n + 1), variance / (n + 1)
    return ndtr((mean[0] - mean[1]) / np.sqrt(spread.sum(axis=0)))


def _children(arm_0, arm_1):
    """The four children of each node: arm 0 or 1, then reward 0 or 1."""
    return np.stack([arm_0, arm_0, arm_1, arm_1], axis=-1).reshape(-1)


def _rewarded(s, from_0: int, from_1: int):
    return np.stack([s, s + from_0, s, s + from_1], axis=-1).reshape(-1)


def _fold(excess, steps) -> np.ndarray:
    """From the leaves: the adversary takes the better reward, chance sums over the arms."""
    value = np.maximum(excess, 0.0)
    for _ in range(steps):
        value = value.reshape(len(value), -1, 2, 2).max(axis=3).sum(axis=2)
    return value[:, 0]
