"""US: Differentially private kernelized contextual bandits."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="us",
    title="Differentially private kernelized contextual bandits",
    package=__name__,
    order=3,
    looks={
        "usca": 0,
        "exponential-gp": 1,
        "gp-ucb": 2,
        "private-gp-ucb": 3,
        "posterior-mean": 6,
        "random-action": 7,
        "usca-exact": 4,
        "private-gp-ucb-exact": 5,
        "exponential-gp-exact": 8,
    },
)
