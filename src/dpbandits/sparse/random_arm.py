"""A uniformly random arm in every round: full privacy, no learning."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.sparse.problem import SparseSetting, mean_rewards
from dpbandits.sparse.recorder import cumulative


@algorithm("random-arm", setting=SparseSetting, source="FL Section 6, baseline")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    def regret_of_run(rng):
        scores = mean_rewards(setting, rng, horizon)
        arms = rng.integers(0, setting.arms, horizon)
        return scores.max(axis=1) - scores[np.arange(horizon), arms]

    return cumulative(regret_of_run, streams, checkpoints)
