"""What the reproduction needs to know of it."""

from dpbandits.reproduction.papers import Paper

PAPER = Paper(
    key="lp",
    title="Explore, then commit, with randomised response",
    package=__package__,
    order=6,
    looks={"lp-commit": 51},
)
