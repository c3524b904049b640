"""AdaP-KLUCB (Azize and Basu 2022) by episodes."""

from dpbandits.stochastic.engine.adap_ucb import one_run
from dpbandits.stochastic.engine.runs import simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    parameters = (True, setting.alpha, 1 / epsilon)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, *parameters)
