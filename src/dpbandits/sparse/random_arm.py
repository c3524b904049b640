"""A uniformly random arm in every round: full privacy, no learning."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.engine.contexts import RANDOM, LazyContexts
from dpbandits.sparse.problem import SparseSetting


@algorithm("random-arm", setting=SparseSetting, source="FL Section 6, baseline")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret = np.empty((len(streams), len(checkpoints)))
    for i in range(len(streams)):
        contexts = LazyContexts(setting, streams.generator(i))
        episode = contexts.play(RANDOM, horizon)
        regret[i] = np.cumsum(episode.regret)[checkpoints - 1]
    return Trajectories(regret)
