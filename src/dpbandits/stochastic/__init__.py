"""HU: near-optimal algorithms for private online learning in a stochastic environment."""

from dpbandits.core.registry import Paper

PAPER = Paper(
    key="hu",
    title="Near-optimal algorithms for differentially private online learning "
    "in a stochastic environment",
    package=__name__,
    order=1,
    looks={
        "anytime-lazy-ucb": 0,
        "lazy-dp-ts": 1,
        "dp-se": 2,
        "adap-klucb": 3,
        "adap-ucb": 4,
        "dp-klucb": 5,
        "dp-imed": 6,
        "thompson": 7,
        "ucb1": 8,
        "kl-ucb": 9,
        "rnm-ftnl": 11,
        "rnm-ftnl-corrected": 12,
        "rnm-ftnl-permute-and-flip": 14,
        "rnm-ftnl-gumbel": 16,
        "rnm-ftnl-prefix": 15,
        "rnm-ftnl-phase": 18,
        "ftnl": 13,
        "ftl": 17,
    },
    not_private={"rnm-ftnl": "≥ 1.94 ε"},  # HU-T8
)
