"""RNM-FTNL (HU Algorithm 4): full information, report-noisy-max over doubling epochs.

`printed` adds Lap(1/eps) to every sum. Replacing a reward vector may raise one sum and lower
another by 1 each, and then report-noisy-max loses up to 2 eps (claim HU-T8). All other variants
have noise of scale 2/eps and are eps-DP (docs/proofs/HU.md, Theorem P): `corrected` Laplace,
`permute-and-flip` exponential, `gumbel` Gumbel noise (the exponential mechanism). Two of them
provably attain the optimal rate (Theorem O): `prefix`, Gumbel noise on a random prefix of the epoch
before, and `phase`, exponential noise and epochs e times as long as the one before, from a random
start.
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import RnmFtnlSetting
from dpbandits.stochastic.rounds import play_rounds

LAPLACE, EXPONENTIAL, GUMBEL = range(3)


class Variant(NamedTuple):
    noise: int  # LAPLACE, EXPONENTIAL or GUMBEL
    scale: float
    growth: float = 2.0  # of epochs
    phase: bool = False  # epochs have floor(growth^(s + V)) rounds, V uniform on (0, 1)
    prefix: bool = False  # the leader of a random prefix, more than half of the epoch before


def variant_of(name: str, epsilon: float) -> Variant:
    scale = 2 / epsilon
    return {
        "printed": Variant(LAPLACE, 1 / epsilon),
        "corrected": Variant(LAPLACE, scale),
        "permute-and-flip": Variant(EXPONENTIAL, scale),
        "gumbel": Variant(GUMBEL, scale),
        "prefix": Variant(GUMBEL, scale, prefix=True),
        "phase": Variant(EXPONENTIAL, scale, growth=math.e, phase=True),
    }[name]


def real_epsilon(setting: RnmFtnlSetting, epsilon: float) -> float:
    """The guaranteed epsilon: with the printed Lap(1/eps) it is only 2 eps-DP (HU-T8)."""
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
    variant = variant_of(setting.variant, epsilon)
    learner = partial(learner_of(variant), len(setting.means), variant)
    return play_rounds(learner, setting, horizon, streams, checkpoints, full_information=True)


def learner_of(variant):
    return with_random_epochs if variant.phase or variant.prefix else rnm_ftnl


def rnm_ftnl(K, variant, rng):
    """Algorithm 4 as printed, with the noise of the variant; comments give its line numbers.

    `X = yield J` plays action J and receives the rewards of all actions (see `rounds`).
    """
    X = yield 0  # 2
    J = noisy_leader(X, variant, rng)
    s, Phi = 1, np.zeros(K)
    while True:  # 3
        for _ in range(2**s):  # 4
            X = yield J
            Phi += X
        J = noisy_leader(Phi, variant, rng)  # 5
        s, Phi = s + 1, np.zeros(K)  # 6


def noisy_leader(Phi, variant, rng):
    """argmax_j (Phi_j + noise), the first of equals."""
    draw = (rng.laplace, rng.exponential, rng.gumbel)[variant.noise]
    return np.argmax(Phi + draw(scale=variant.scale, size=len(Phi)))


def with_random_epochs(K, variant, rng):
    """The variants `phase`, with epochs of random length, and `prefix`, which uses a part of each.

    `X = yield J` plays action J and receives the rewards of all actions (see `rounds`).
    """
    length = variant.growth ** rng.random() if variant.phase else 1.0
    J = 0
    while True:
        rounds = used = int(length)
        if variant.prefix:
            used = rng.integers(rounds // 2 + 1, rounds + 1)
        Phi = np.zeros(K)
        for i in range(rounds):
            X = yield J
            if i < used:
                Phi += X
        J = noisy_leader(Phi, variant, rng)
        length *= variant.growth
