"""Naive Follow-the-Noisy-Leader (HU Section 5) by epochs."""

from dpbandits.stochastic.engine.rnm_ftnl import simulate_epochs
from dpbandits.stochastic.rnm_ftnl import Variant


def simulate(setting, epsilon, horizon, streams, checkpoints):
    variant = Variant("laplace", len(setting.means) / epsilon)
    return simulate_epochs(variant, setting, horizon, streams, checkpoints)
