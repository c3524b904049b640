"""US, judged: claims, studies and figures of the paper whose algorithms are in kernel/."""

from dpbandits.reproduction.papers import Paper

PAPER = Paper(
    key="us",
    title="Differentially private kernelized contextual bandits",
    package=__name__,
    elsewhere=("dpbandits.kernel",),
    order=3,
    looks={
        "usca": 33,
        "exponential-gp": 34,
        "gp-ucb": 35,
        "private-gp-ucb": 36,
        "posterior-mean": 42,
        "random-action": 40,
        "usca-exact": 37,
        "private-gp-ucb-exact": 38,
        "exponential-gp-exact": 41,
    },
)
