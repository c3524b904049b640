"""AdaP-TT (Azize, Jourdan, Al Marjani and Basu 2023, arXiv 2309.02202), from its description.

An arm's episode lasts until its plays have doubled. Its mean is then that of this episode alone,
with Lap(1/(eps n)). The leader has the largest upper bound, the challenger the least gap in
standard deviations of unit variance; a coin says which of them is played. It stops where
(gap)^2/(2(1/n_a + 1/n_b)) reaches

    ln(1/delta) + ln(1 + ln n_a) + ln(1 + ln n_b) + (1/n_a + 1/n_b) ln(1/delta)^2/eps^2,

the threshold that the authors' public code runs, which is smaller than the one they prove.
"""

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import ConfidenceSetting


@algorithm(
    "adap-tt",
    setting=ConfidenceSetting,
    source="Azize et al. 2023",
    claim="assumed: each sum is released once, with Lap(1/eps)",
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    from dpbandits.reproduction.hu.algorithms.compiled import stopped
    from dpbandits.reproduction.hu.algorithms.compiled.adap_tt import one_run

    return stopped.simulate(one_run, setting, horizon, streams, checkpoints, epsilon)
