"""Naive Follow-the-Noisy-Leader (HU Section 5) by epochs."""

from dpbandits.stochastic.engine.noisy_leader import simulate_epochs
from dpbandits.stochastic.engine.runs import simulate_runs
from dpbandits.stochastic.rnm_ftnl import Variant


def simulate(setting, epsilon, horizon, streams, checkpoints):
    variant = Variant("laplace", len(setting.means) / epsilon)
    return simulate_runs(simulate_epochs, setting, horizon, streams, checkpoints, variant)
