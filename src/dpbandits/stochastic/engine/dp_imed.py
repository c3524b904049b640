"""DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025) by phases."""

from dpbandits.stochastic.engine.dp_klucb import one_run
from dpbandits.stochastic.engine.runs import simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    parameters = (True, setting.growth, epsilon)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, *parameters)
