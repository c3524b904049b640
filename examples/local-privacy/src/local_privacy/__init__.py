"""LP: explore, then commit, where every reward is reported by randomised response (Warner 1965)."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="lp",
    title="Explore, then commit, with randomised response",
    package=__name__,
    order=6,
    looks={"lp-commit": 51},
)
