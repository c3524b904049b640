"""Top two without privacy: leader and challenger of the likelihood ratio, a reward at a time, with
the threshold ln((1 + ln t)/delta) that is usual in experiments (and not proved)."""

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import ConfidenceSetting


@algorithm("top-two", setting=ConfidenceSetting, source="Russo 2016; Garivier and Kaufmann 2016")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    from dpbandits.reproduction.hu.algorithms.compiled import stopped
    from dpbandits.reproduction.hu.algorithms.compiled.top_two import one_run

    return stopped.simulate(one_run, setting, horizon, streams, checkpoints)
