"""The exact privacy loss of short runs with two arms, if all played arms are published.

The probability of a sequence of arms is a product of normal probabilities. Rewards may depend on
the arms played before (the proof allows it), so a run is a tree: at each node an adversary chooses
the reward, 0 or 1, with the larger loss. This is a lower bound on the loss over rewards in [0, 1].
"""

import itertools

import numpy as np
from scipy.special import ndtr


def worst_delta(pre_pulls: int, variance: float, steps: int, epsilons) -> np.ndarray:
    """The largest delta over all rewards, per epsilon, if one early reward of arm 0 is replaced.

    `steps` is the number of decisions after it. Without pre-pulls the arm of the first round does
    not depend on data: it is called arm 0, and its reward is the one replaced.
    """
    counts = np.array([pre_pulls, pre_pulls]) if pre_pulls else np.array([1, 0])
    starts = itertools.product(range(1, counts[0] + 1), range(counts[1] + 1))
    deltas = [_delta(counts, start, variance, steps, np.asarray(epsilons)) for start in starts]
    return np.max(deltas, axis=0)


def _delta(counts, start, variance, steps, epsilons) -> np.ndarray:
    """Delta from given sums of rewards, in both directions.

    The neighbour has one success of arm 0 less. Arrays have one entry per node of the tree.
    """
    n, s = np.array(counts)[:, None], np.array(start, float)[:, None]
    p = q = np.ones(1)
    for _ in range(steps):
        p0, q0 = probability(n, s, variance), probability(n, s - [[1.0], [0.0]], variance)
        p, q = _children(p * p0, p * (1 - p0)), _children(q * q0, q * (1 - q0))
        n = np.stack([_children(n[0] + 1, n[0]), _children(n[1], n[1] + 1)])
        s = np.stack([_add_rewards(s[0], 1, 0), _add_rewards(s[1], 0, 1)])
    factor = np.exp(epsilons)[:, None]
    return np.maximum(_fold(p - factor * q, steps), _fold(q - factor * p, steps))


def probability(n, s, variance):
    """The probability of arm 0, with n pulls and sums of rewards s of both arms (axis 0)."""
    mean, spread = s / (n + 1), variance / (n + 1)
    return ndtr((mean[0] - mean[1]) / np.sqrt(spread.sum(axis=0)))


def _children(arm_0, arm_1):
    """The four children of each node: arm 0 or 1, then reward 0 or 1."""
    return np.stack([arm_0, arm_0, arm_1, arm_1], axis=-1).reshape(-1)


def _add_rewards(s, from_0: int, from_1: int):
    """Sums of rewards at the children; a success of arm 0 (1) adds from_0 (from_1)."""
    return np.stack([s, s + from_0, s, s + from_1], axis=-1).reshape(-1)


def _fold(excess, steps) -> np.ndarray:
    """From the leaves to the root: the larger value over rewards, the sum over arms."""
    value = np.maximum(excess, 0.0)
    for _ in range(steps):
        value = value.reshape(len(value), -1, 2, 2).max(axis=3).sum(axis=2)
    return value[:, 0]
