"""US: Differentially private kernelized contextual bandits."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="us",
    title="Differentially private kernelized contextual bandits",
    package=__name__,
    order=3,
)
