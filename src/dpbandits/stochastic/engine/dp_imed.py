"""DP-IMED (Azize, Wu, Honda, Orabona, Ito and Basu 2025) by phases."""

from dpbandits.stochastic.engine.phases import simulate_phases
from dpbandits.stochastic.engine.runs import simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    parameters = (True, setting.growth, epsilon)
    return simulate_runs(simulate_phases, setting, horizon, streams, checkpoints, *parameters)
