"""DP-KLUCB (Azize, Wu, Honda, Orabona, Ito and Basu 2025), one Binomial per phase."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.engine.phases import simulate_phases
from dpbandits.stochastic.problem import GrowthSetting


@algorithm(
    "dp-klucb",
    setting=GrowthSetting,
    source="Azize et al. 2025; the growth of the phases is our choice",
    claim="assumed: every reward enters one batch sum with Lap(1/eps)",
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret, pulls = simulate_phases(
        *(False, setting.growth, epsilon, np.array(setting.means), setting.gaps, horizon),
        *(streams.states(), checkpoints),
    )
    return Trajectories(regret, extras={"pulls": pulls})
