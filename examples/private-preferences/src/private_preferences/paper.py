"""What the reproduction needs to know of it."""

from dpbandits.reproduction.papers import Paper

PAPER = Paper(key="pp", title="Private alignment side by side", package=__package__, order=6)
