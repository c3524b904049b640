"""RNM-FTNL (HU Algorithm 4): full information, report-noisy-max over doubling epochs.

`printed` adds Lap(1/eps) to every sum. Replacing a reward vector may raise one sum and lower
another by 1 each, and then report-noisy-max loses up to 2 eps. All other variants have noise of
scale 2/eps and are eps-DP (docs/proofs/HU.md, Theorem P): `corrected` Laplace, `permute-and-flip`
exponential, `gumbel` Gumbel noise (the exponential mechanism). Two of them provably attain the
optimal rate (Theorem O): `prefix`, Gumbel noise on a random prefix of the epoch before, and
`phase`, exponential noise and epochs e times as long as the one before, from a random start.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.notions import PURE
from dpbandits.stochastic.problem import RnmFtnlSetting
from dpbandits.stochastic.rounds import Bandit, bandit_algorithm

LAPLACE, EXPONENTIAL, GUMBEL = range(3)
LAWS = ("laplace", "exponential", "gumbel")  # of dpbandits.core.port


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
    """The guaranteed epsilon: with the printed Lap(1/eps) it is only 2 eps-DP."""
    return 2 * epsilon if setting.variant == "printed" else epsilon


@bandit_algorithm(
    "rnm-ftnl",
    setting=RnmFtnlSetting,
    source="HU Algorithm 4",
    claim="HU-T8",
    notion=PURE,
    real=real_epsilon,
    proof="docs/proofs/HU.md, Theorem P",
    instead="the variant phase",
)
class RnmFtnl(Bandit):
    """Algorithm 4, with the noise of the variant; comments give the printed line numbers. Round 1
    is an epoch of 2^0 rounds.
    """

    full_information = True
    state = ("J", "s", "length", "Phi", "i", "rounds", "used")

    @property
    def form(self) -> Variant:
        return variant_of(self.variant, self.epsilon)

    def start(self):
        self.new, self.J, self.s = [], 0, 0  # 2
        self.length = self.form.growth ** self.rng.random() if self.form.phase else 1.0
        self.begin_epoch()

    def begin_epoch(self):
        """All rewards of an epoch count, with `prefix` those of its first `used` rounds."""
        self.Phi, self.i, self.rounds = np.zeros(self.K), 0, 2**self.s  # 2, 6
        if self.form.phase:
            self.rounds = int(self.length)
            self.length *= self.form.growth
        self.used = self.rounds
        if self.form.prefix:
            self.used = int(self.rng.integers(self.rounds // 2 + 1, self.rounds + 1))

    def index(self):
        return np.arange(self.K) == self.J

    def update(self, J, X):
        if self.i < self.used:
            self.Phi += X
        self.i += 1
        if self.i == self.rounds:  # 4
            law = LAWS[self.form.noise]
            self.J = self.noise.argmax(self.Phi, self.form.scale, law, name="Phi")  # 2, 5
            self.s += 1  # 6
            self.begin_epoch()
