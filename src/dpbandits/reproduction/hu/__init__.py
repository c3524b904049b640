"""HU, judged: claims, studies and figures of the paper whose algorithms are in stochastic/."""

from dpbandits.reproduction.papers import Paper

PAPER = Paper(
    key="hu",
    title="Near-optimal algorithms for differentially private online learning "
    "in a stochastic environment",
    package=__name__,
    elsewhere=("dpbandits.stochastic",),
    order=1,
    looks={
        "anytime-lazy-ucb": 0,
        "lazy-dp-ts": 1,
        "dp-se": 2,
        "adap-klucb": 3,
        "adap-klucb-1.5": 47,
        "adap-ucb": 4,
        "dp-klucb": 5,
        "dp-imed": 6,
        "dp-klucb-1.1": 20,
        "dp-imed-1.1": 19,
        "na-imed": 87,
        "na-tt": 22,
        "adap-tt": 26,
        "dp-tt": 35,
        "dp-se-best": 23,
        "top-two": 31,
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
    not_private={"rnm-ftnl": "2 ε", "ftl": "∞"},  # HU-T8; FTL adds no noise
)
