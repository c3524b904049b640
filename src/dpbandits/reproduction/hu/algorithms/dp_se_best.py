"""DP-SE (Sajed and Sheffet 2019) as a rule that stops: with the error of a run as its beta, until
one arm is left. Epochs and widths are those of stochastic/dp_se.py."""

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import ConfidenceSetting


@algorithm(
    "dp-se-best",
    setting=ConfidenceSetting,
    source="Sajed and Sheffet 2019",
    claim="assumed: each sum is released once, with Lap(1/eps)",
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    from dpbandits.reproduction.hu.algorithms.compiled import stopped
    from dpbandits.reproduction.hu.algorithms.compiled.dp_se_best import one_run

    return stopped.simulate(one_run, setting, horizon, streams, checkpoints, epsilon)
