"""Explore, then commit, with local privacy: each reward is randomised before it is reported.

Each of K arms is pulled n times. A reward of 0 or 1 is flipped with probability 1/(1 + e^epsilon).
The arm with the largest number of reported ones is then pulled until the end.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.algorithms import algorithm
from dpbandits.core.models import Model
from dpbandits.core.notions import PURE
from dpbandits.core.trajectories import Trajectories

Mean = Annotated[float, Field(ge=0, le=1)]


class Setting(Model):
    means: Annotated[tuple[Mean, ...], Field(min_length=2)]  # of Bernoulli rewards
    share: Annotated[float, Field(gt=0, le=1)] = 0.2  # of the horizon, for exploration


@algorithm("lp-commit", setting=Setting, source="explore, then commit", claim="LP-RR", notion=PURE)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    means = np.array(setting.means)
    n = max(1, int(setting.share * horizon / len(means)))
    regret = np.empty((len(streams), len(checkpoints)))
    for i in range(len(streams)):
        arms = play(means, n, epsilon, horizon, streams.generator(i))
        regret[i] = np.cumsum(means.max() - means[arms])[np.asarray(checkpoints) - 1]
    return Trajectories(regret)


def play(means, n, epsilon, horizon, rng):
    """The arms of one run, shape (horizon,)."""
    K = len(means)
    rewards = rng.random((K, n)) < means[:, None]
    reported = rewards ^ (rng.random((K, n)) < flips(epsilon))
    best = np.argmax(reported.sum(axis=1))
    return np.append(np.repeat(np.arange(K), n), np.full(horizon, best))[:horizon]


def flips(epsilon):
    """The probability that a reward is flipped."""
    return np.exp(-np.logaddexp(0, epsilon))
