"""RNM-FTNL (HU Algorithm 4): full information, report-noisy-max over doubling epochs.

`printed` adds Lap(1/eps) to every sum. Replacing a reward vector may raise one sum and lower
another by 1 each, and then report-noisy-max loses up to 2 eps (claim HU-T8). All other variants
have noise of scale 2/eps and are eps-DP (docs/proofs/HU.md, Theorem P): `corrected` Laplace,
`permute-and-flip` exponential, `gumbel` Gumbel noise (the exponential mechanism). Two of them reach
the optimal rate for sure (Theorem O): `prefix`, Gumbel noise on a random prefix of the epoch
before, and `phase`, exponential noise and epochs e times as long as the one before, from a random
start.
"""

import math

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.engine.kept_binomials import room
from dpbandits.stochastic.engine.noisy_leader import (
    EPOCHS,
    EXPONENTIAL,
    GUMBEL,
    LAPLACE,
    Rule,
    simulate_epochs,
)
from dpbandits.stochastic.engine.play import run_all
from dpbandits.stochastic.problem import RnmFtnlSetting


def rule_of(variant: str, epsilon: float) -> Rule:
    scale = 2 / epsilon
    return {
        "printed": Rule(LAPLACE, 1 / epsilon),
        "corrected": Rule(LAPLACE, scale),
        "permute-and-flip": Rule(EXPONENTIAL, scale),
        "gumbel": Rule(GUMBEL, scale),
        "prefix": Rule(GUMBEL, scale, prefix=True),
        "phase": Rule(EXPONENTIAL, scale, growth=math.e, phase=True),
    }[variant]


def real_epsilon(setting: RnmFtnlSetting, epsilon: float) -> float:
    """HU-T8: Laplace noise of the printed scale 1/eps keeps 2 eps."""
    return 2 * epsilon if setting.variant == "printed" else epsilon


@algorithm(
    "rnm-ftnl",
    setting=RnmFtnlSetting,
    source="HU Algorithm 4",
    claim="HU-T8",
    notion=PURE,
    real=real_epsilon,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    rule = rule_of(setting.variant, epsilon)
    laws = room(EPOCHS * len(setting.means))
    return run_all(simulate_epochs, setting, horizon, streams, checkpoints, rule, laws)
