"""RNM-FTNL (HU Algorithm 4) and its private variants by epochs."""

from dpbandits.stochastic.engine.noisy_leader import simulate_epochs
from dpbandits.stochastic.engine.runs import simulate_runs
from dpbandits.stochastic.rnm_ftnl import variant_of


def simulate(setting, epsilon, horizon, streams, checkpoints):
    variant = variant_of(setting.variant, epsilon)
    return simulate_runs(simulate_epochs, setting, horizon, streams, checkpoints, variant)
