"""DP-TT (Jourdan and Azize 2025, arXiv 2510.17348), from the description on its authors' poster.

An arm's noisy sum grows by a release when its plays have doubled; nothing is forgotten. The leader
has the largest mean (clipped to [0, 1]; of equals one at random), the challenger the least cost
plus ln of its plays, where the cost of (a, b) is min over p of n_a d_eps(mean_a, p) +
n_b d_eps(mean_b, p). The leader gets half of the rounds in which it leads. It stops where the costs
of all others, with the plays in the releases, exceed c(n_a) + c(n_b).

For c the poster has, up to constants, ln(1/delta) + ln(n) ln(1 + eps n/ln n) as right, with which
the means of its figure, which are 20 times smaller, cannot be had. What runs here is smaller, not
proved, and comes within a tenth of the figure where noise is small:
c(n) = ln((K - 1)/delta)/2 + ln(1 + ln n).
"""

from dpbandits.core.algorithms import algorithm
from dpbandits.stochastic.problem import ConfidenceSetting


@algorithm(
    "dp-tt",
    setting=ConfidenceSetting,
    source="Jourdan and Azize 2025",
    claim="assumed: each sum is released once, with Lap(1/eps)",
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    from dpbandits.reproduction.hu.algorithms.compiled import stopped
    from dpbandits.reproduction.hu.algorithms.compiled.dp_tt import one_run

    return stopped.simulate(one_run, setting, horizon, streams, checkpoints, epsilon)
