"""UCB1 (Auer, Cesa-Bianchi and Fischer 2002), not private: mean + sqrt(2 ln t/n)."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.engine.guarded import simulate_guarded
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("ucb1", setting=StochasticSetting, source="Auer, Cesa-Bianchi and Fischer 2002")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret, pulls = simulate_guarded(
        False, np.array(setting.means), setting.gaps, horizon, streams.states(), checkpoints
    )
    return Trajectories(regret, extras={"pulls": pulls})
