"""KL-UCB (Garivier and Cappe 2011) in blocks of rounds that the leader cannot lose."""

from dpbandits.stochastic.engine.runs import simulate_runs
from dpbandits.stochastic.engine.ucb_blocks import simulate_blocks


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return simulate_runs(simulate_blocks, setting, horizon, streams, checkpoints, True)
