"""Naive Follow-the-Noisy-Leader (HU Section 5): every action's sum alone is (eps/K)-private."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.engine.noisy_leader import simulate_epochs
from dpbandits.stochastic.problem import StochasticSetting


@algorithm(
    "ftnl",
    setting=StochasticSetting,
    source="HU Section 5",
    claim="assumed: K sums of sensitivity 1 with Lap(K/eps) each, by composition",
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    means = np.array(setting.means)
    regret, pulls = simulate_epochs(
        means, setting.gaps, len(means) / epsilon, horizon, streams.states(), checkpoints
    )
    return Trajectories(regret, extras={"pulls": pulls})
