"""What the reproduction needs to know of it."""

from dpbandits.reproduction.papers import Paper

PAPER = Paper(
    key="ts",
    title="Thompson sampling itself is differentially private",
    package=__package__,
    order=5,
    looks={"gaussian-thompson": 50},
)
