"""PP: private alignment side by side, KL's policy of RLHF and its rivals of 2025 and 2026."""

from dpbandits.core.registry import Paper

PAPER = Paper(key="pp", title="Private alignment side by side", package=__name__, order=6)
