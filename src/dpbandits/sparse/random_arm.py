"""A uniformly random arm in every round: full privacy, no learning."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.problem import SparseSetting, mean_rewards


@algorithm("random-arm", setting=SparseSetting, source="FL Section 6, baseline")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret = np.empty((len(streams), len(checkpoints)))
    for run in range(len(streams)):
        rng = streams.generator(run)
        scores = mean_rewards(setting, rng, horizon)
        arms = rng.integers(0, setting.arms, horizon)
        lost = scores.max(axis=1) - scores[np.arange(horizon), arms]
        regret[run] = np.cumsum(lost)[checkpoints - 1]
    return Trajectories(regret)
