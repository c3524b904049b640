"""FL: FLIPHAT, joint differential privacy for high-dimensional sparse linear bandits."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="fl",
    title="FLIPHAT: joint differential privacy for high dimensional sparse linear bandits",
    package=__name__,
    order=2,
)
