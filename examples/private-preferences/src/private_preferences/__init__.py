"""PP: private alignment side by side, KL's policy of RLHF and its rivals of 2025 and 2026."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="pp",
    title="Private alignment side by side",
    package=__name__,
    order=6,
    looks={
        "KL, β₀ = 0": 0,
        "KL, β₀ = 1": 12,
        "objective perturbation": 24,
        "VPO, one batch": 36,
        "PPKL": 48,
        "private DPO": 60,
        "private RLHF, greedy": 72,
    },
)
