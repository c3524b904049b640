"""FL, judged: claims, studies and figures of the paper whose algorithms are in sparse/."""

from dpbandits.reproduction.papers import Paper

PAPER = Paper(
    key="fl",
    title="FLIPHAT: joint differential privacy for high dimensional sparse linear bandits",
    package=__name__,
    elsewhere=("dpbandits.sparse",),
    order=2,
    looks={
        "fliphat": 22,
        "fliphat-released": 22,
        "fliphat-printed": 23,
        "fliphat-corrected": 24,
        "fliphat-zcdp": 25,
        "dp-signs": 26,
        "fliphat-fresh": 27,
        "sa-lasso": 28,
        "jdp-linucb": 29,
        "jdp-linucb-best": 38,
        "fliphat-zcdp-clip": 30,
        "random-arm": 31,
        "dp-linear": 32,
        "leaky-linear": 34,
        "dense-dp-linear": 32,
        "dense-na-imed": 35,
        "dense-na-imed-cells": 38,
        "dense-linucb": 53,
        "dense-adaprivate-ts": 36,
        "dense-lints": 39,
        "dense-dp-signs": 26,
        "dense-fliphat": 41,
    },
    # Contexts that are not clipped leave no finite epsilon (docs/proofs/FL.md, Theorem B4).
    not_private=dict.fromkeys(("fliphat-released", "fliphat-fresh", "fliphat-printed"), "∞"),
)
