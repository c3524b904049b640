"""AdaP-UCB (Azize and Basu 2022) by episodes."""

from dpbandits.stochastic.engine.episodes import simulate_episodes
from dpbandits.stochastic.engine.runs import simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    parameters = (False, setting.alpha, 1 / epsilon)
    return simulate_runs(simulate_episodes, setting, horizon, streams, checkpoints, *parameters)
