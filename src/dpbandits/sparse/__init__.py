"""FL: FLIPHAT, joint differential privacy for high-dimensional sparse linear bandits."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="fl",
    title="FLIPHAT: joint differential privacy for high dimensional sparse linear bandits",
    package=__name__,
    order=2,
    looks={
        "fliphat": 0,
        "fliphat-released": 0,
        "fliphat-printed": 1,
        "fliphat-corrected": 2,
        "fliphat-zcdp": 3,
        "dp-signs": 4,
        "fliphat-fresh": 5,
        "sa-lasso": 6,
        "jdp-linucb": 7,
        "fliphat-zcdp-clip": 8,
        "random-arm": 9,
    },
    # Contexts that are not clipped leave no finite epsilon (docs/proofs/FL.md, Theorem B4).
    not_private=dict.fromkeys(("fliphat-released", "fliphat-fresh", "fliphat-printed"), "= ∞"),
)
