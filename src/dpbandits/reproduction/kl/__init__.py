"""KL, judged: claims, studies and figures of the paper whose algorithms are in offline/."""

from dpbandits.reproduction.papers import Paper

PAPER = Paper(
    key="kl",
    title="KL-regularization itself is differentially private in bandits and RLHF",
    package=__name__,
    elsewhere=("dpbandits.offline",),
    order=4,
)
