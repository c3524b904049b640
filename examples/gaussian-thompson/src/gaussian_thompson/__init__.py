"""TS: Thompson sampling itself is differentially private (arXiv 2407.14879)."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="ts",
    title="Thompson sampling itself is differentially private",
    package=__name__,
    order=5,
    looks={"gaussian-thompson": 50},
)
