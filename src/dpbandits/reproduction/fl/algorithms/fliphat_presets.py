"""FLIPHAT as printed, as released, and with noise for the true sensitivity (FL Algorithms 1 to 3).

The algorithm is the library's; the preset decides the constants (presets.py) and the law of
Peeling's noise.
"""

import math
from itertools import count

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import streams_for
from dpbandits.reproduction.fl.algorithms.compiled import fliphat as compiled
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.sparse.fliphat import Fliphat, niht
from dpbandits.sparse.rounds import play_rounds


def peeling(v: np.ndarray, s: int, xi: float, noise, moved=1.0) -> np.ndarray:
    """Algorithm 3 as printed; `noise` is a port, `moved` how far a record moves v_j."""
    S = []  # 1
    while len(S) < s:  # 2
        left = np.abs(v)
        left[S] = -np.inf  # j in [d] \ S
        S.append(noise.argmax(left, xi, sensitivity=moved, name="abs(v)"))  # 3, 4, 5
    peeled = np.zeros_like(v)
    peeled[S] = noise.laplace(v[S], xi, sensitivity=moved, name="v")  # 7, 8, 9
    return peeled


class Preset(Fliphat):
    def estimate(self, X, y):
        """With the printed Peeling, or that of the preset zcdp."""
        own, tuning = self.setting, self.setting.tuning(self.epsilon, len(y))
        peel = None if own.peeling == "gumbel" else peeling
        return niht(X, y, own, tuning, self.noise, peel=peel)


class ReusedNoise(SimulatedNoise):
    """As released: selections read one sequence of Laplace vectors w_0, w_1, .. per run, so that
    consecutive estimates share all but one of theirs. firsts: where each peeling begins to read."""

    def __init__(self, rng, firsts):
        super().__init__(rng)
        self.firsts, self.vectors, self.next = firsts, [], None

    def argmax(self, scores, scale, law="laplace", **about):
        self.next = next(self.firsts) if self.next is None else self.next + 1
        while self.next >= len(self.vectors):
            self.vectors.append(self.rng.laplace(size=len(scores)))
        return int(np.argmax(scores + scale * self.vectors[self.next]))

    def laplace(self, value, scale, **about):
        self.next = None  # this peeling ends
        return super().laplace(value, scale)


def reads_of(setting: PresetSetting, epsilon: float):
    """The first vector of each peeling: of step m for the estimate of episode l, w_{l-1+m}."""
    return (e + m for e in count() for m in range(setting.tuning(epsilon, 2**e).M))


def real_epsilon(setting, epsilon: float) -> float:
    """Contexts that are not clipped leave no finite epsilon (docs/proofs/FL.md, Theorem B4)."""
    return math.inf if math.isinf(setting.context_clip) else epsilon


def fast(setting, epsilon, horizon, streams, checkpoints):
    """With the random numbers of `fliphat`, which the tables were made with; those that are shared
    stay."""
    own, its = (
        streams_for(name, setting, epsilon, horizon, streams.seeds)
        for name in ("fliphat-presets", "fliphat")
    )
    streams = its if streams == own else streams
    return compiled.simulate(setting, epsilon, horizon, streams, checkpoints)


@algorithm(
    "fliphat-presets",
    setting=PresetSetting,
    source="FL Algorithm 2",
    claim="FL-T5.1",
    notion=JOINT,
    real=real_epsilon,
    proof="docs/proofs/FL.md, Theorem B1",
    instead="the preset zcdp",
    fast=fast,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Curves: error (of the current estimate, l2), cosine (with beta*), support (share of beta*'s
    support that it holds).
    """

    def learner_of(run, rng):
        noise = SimulatedNoise(streams.child("privacy").generator(run))
        if setting.peeling == "reused":
            noise = ReusedNoise(noise.rng, reads_of(setting, epsilon))
        return Preset(setting, epsilon, noise, rng)

    return play_rounds(learner_of, setting, horizon, streams, checkpoints)
