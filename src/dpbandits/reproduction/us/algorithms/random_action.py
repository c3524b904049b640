"""A uniformly random action: what no learning at all gives (its error rate has no variance)."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.kernel.problem import KernelSetting, problem_of


@algorithm("random-action", setting=KernelSetting, source="baseline; looks at no data")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = problem_of(setting)
    uniform = np.full(problem.values.shape, 1.0 / setting.actions)
    return Trajectories(np.full((len(streams), len(checkpoints)), problem.error_rate(uniform)))
