"""KL-UCB (Garivier and Cappe 2011), not private: max{q: n kl(mean, q) <= ln t}."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.engine.guarded import simulate_guarded
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("kl-ucb", setting=StochasticSetting, source="Garivier and Cappe 2011")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret, pulls = simulate_guarded(
        True, np.array(setting.means), setting.gaps, horizon, streams.states(), checkpoints
    )
    return Trajectories(regret, extras={"pulls": pulls})
