"""Anytime-Lazy-UCB (HU Algorithm 1), skipping ahead from decision to decision.

Between two ends of epochs an index mean + sqrt(3 ln t/O) + 3 ln t/(eps O) moves only with ln t, and
an arm with fewer observations O rises faster at every t. So the leader can only be overtaken by an
arm with a smaller O, and if it still leads at the last round of a stretch, it led in all of it.
Else its last round is found by bisection. An epoch's rewards are one Binomial draw.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.stochastic.engine.runs import private_mean, record, simulate_runs


class Indices(NamedTuple):
    """An arm's index in round t is mean + sampling sqrt(3 ln t) + privacy 3 ln t."""

    mean: np.ndarray  # mu~_j
    sampling: np.ndarray  # 1/sqrt(O_j)
    privacy: np.ndarray  # 1/(eps O_j)


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, 1 / epsilon)


@jit
def one_run(bandit, results, stream, noise):
    """`noise` is the Laplace scale 1/epsilon."""
    means, horizon, arms = bandit.means, bandit.horizon, len(bandit.means)
    used = np.ones(arms, np.int64)  # O_j
    fresh = np.zeros(arms, np.int64)  # N_j
    indices = Indices(np.empty(arms), np.empty(arms), np.empty(arms))
    t = 0
    while t < horizon:
        if t < arms:
            arm, last = t, t + 1
        else:
            arm = leader(indices, t + 1)
            last = min(t + 2 * used[arm] - fresh[arm], horizon)
            last = last_round(indices, arm, t + 1, last)
            fresh[arm] += last - t
        record(bandit, results, arm, t, last)
        if t < arms or fresh[arm] == 2 * used[arm]:
            if t >= arms:
                used[arm], fresh[arm] = fresh[arm], 0
            indices.mean[arm] = private_mean(stream, used[arm], means[arm], noise)
            indices.sampling[arm] = 1.0 / math.sqrt(used[arm])
            indices.privacy[arm] = noise / used[arm]
        t = last


@jit
def leader(indices, t):
    """The arm with the largest index in round t, the first of equals."""
    linear = 3.0 * math.log(t)
    root = math.sqrt(linear)
    return np.argmax(indices.mean + indices.sampling * root + indices.privacy * linear)


@jit
def last_round(indices, arm, first, last):
    """The last round up to `last` in which `arm`, the leader of round `first`, still leads."""
    if last <= first or leader(indices, last) == arm:
        return last
    while last - first > 1:  # leads at first, does not lead at last
        middle = (first + last) // 2
        if leader(indices, middle) == arm:
            first = middle
        else:
            last = middle
    return first
