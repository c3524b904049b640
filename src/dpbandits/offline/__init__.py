"""KL: KL-regularization itself is differentially private in bandits and RLHF."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="kl",
    title="KL-regularization itself is differentially private in bandits and RLHF",
    package=__name__,
    order=4,
)
