"""HU: near-optimal algorithms for private online learning in a stochastic environment."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="hu",
    title="Near-optimal algorithms for differentially private online learning "
    "in a stochastic environment",
    package=__name__,
    order=1,
)
