"""Naive Follow-the-Noisy-Leader (HU Section 5) by epochs."""

from dpbandits.stochastic.engine.rnm_ftnl import one_run
from dpbandits.stochastic.engine.runs import simulate_runs
from dpbandits.stochastic.rnm_ftnl import LAPLACE, Variant


def simulate(setting, epsilon, horizon, streams, checkpoints):
    variant = Variant(LAPLACE, len(setting.means) / epsilon)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, variant)
