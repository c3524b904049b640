"""KL-UCB (Garivier and Cappe 2011) in blocks of rounds in which the leader cannot change."""

from dpbandits.stochastic.engine.runs import simulate_runs
from dpbandits.stochastic.engine.ucb1 import one_run


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, True)
