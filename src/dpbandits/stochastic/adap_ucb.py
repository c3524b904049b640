"""AdaP-UCB (Azize and Basu 2022): adaptive episodes, one Binomial each."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.engine.adap import simulate_episodes
from dpbandits.stochastic.problem import AdapSetting


@algorithm(
    "adap-ucb",
    setting=AdapSetting,
    source="Azize and Basu 2022, Section 4",
    claim="assumed: every reward enters one mean with Lap(1/eps)",
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret, pulls = simulate_episodes(
        *(False, setting.alpha, np.array(setting.means), setting.gaps, 1 / epsilon, horizon),
        *(streams.states(), checkpoints),
    )
    return Trajectories(regret, extras={"pulls": pulls})
