"""FLIPHAT as printed, as released, and with noise for the true sensitivity (FL Algorithms 1 to 3).

The algorithm is the library's; the preset decides the constants (presets.py) and the law of
Peeling's noise. Its random numbers are those of `fliphat`, which the tables were made with.
"""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.port import first_largest
from dpbandits.core.streams import streams_for
from dpbandits.reproduction.fl.algorithms.compiled import fliphat as compiled
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.sparse.fliphat import Fliphat
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
        return super().estimate(X, y, None if self.setting.peeling == "gumbel" else peeling)


class GivenNoise:
    """A port of given noise of scale 1, for one peeling after the other: (w, w_tilde), where w is
    s x d (d, if one vector selects in all rounds), and w_tilde has d entries."""

    def __init__(self, given):
        self.given, self.S = given, None

    def argmax(self, scores, scale, law="laplace", *, count=None, sensitivity=1, name=""):
        if self.S is None:
            self.w, self.w_tilde = next(self.given)
            self.S = []
        w = self.w if count else self.w[len(self.S)]
        chosen = first_largest(scores + scale * w, count)
        self.S = chosen if count else [*self.S, chosen]
        return chosen

    def laplace(self, value, scale, *, sensitivity=1, name=""):
        noisy, self.S = value + scale * self.w_tilde[self.S], None
        return noisy

    gaussian = laplace


def simulated_noise(setting: PresetSetting, streams, run: int, steps):
    """The noise of all peelings of a run, of scale 1; steps: their (estimate, step) from (1, 0).

    `released` takes its selection noise from one sequence w_0, w_1, .. of Laplace vectors per run:
    round i of Peeling in step m for the estimate of episode l reads w_{l-1+m+i}, so that
    consecutive estimates share all but one of their vectors. Everything else draws fresh noise.
    `zcdp` selects with one Gumbel vector for all rounds of a step (the s largest at once), and
    releases with Gaussian noise.
    """
    s, d = setting.sparsity, setting.d
    selection = streams.child("selection").generator(run)
    release = streams.child("release").generator(run)
    sequence = np.empty((0, d))
    for episode, m in steps:
        if setting.peeling == "gumbel":
            yield selection.gumbel(size=d), release.standard_normal(d)
        elif setting.peeling == "reused":
            first = episode - 1 + m
            missing = max(0, first + s - len(sequence))
            sequence = np.concatenate((sequence, selection.laplace(size=(missing, d))))
            yield sequence[first : first + s], release.laplace(size=d)
        else:
            yield selection.laplace(size=(s, d)), release.laplace(size=d)


def real_epsilon(setting, epsilon: float) -> float:
    """Contexts that are not clipped leave no finite epsilon (docs/proofs/FL.md, Theorem B4)."""
    return math.inf if math.isinf(setting.context_clip) else epsilon


def of_fliphat(streams, setting, epsilon, horizon):
    """The streams of `fliphat` in place of this algorithm's own; those that are shared stay."""
    own, its = (
        streams_for(name, setting, epsilon, horizon, streams.seeds)
        for name in ("fliphat-presets", "fliphat")
    )
    return its if streams == own else streams


def fast(setting, epsilon, horizon, streams, checkpoints):
    streams = of_fliphat(streams, setting, epsilon, horizon)
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
    streams = of_fliphat(streams, setting, epsilon, horizon)

    def learner_of(run, rng):
        estimates = range(1, int(horizon).bit_length() + 1)
        steps = ((e, m) for e in estimates for m in range(setting.tuning(epsilon, 2 ** (e - 1)).M))
        noise = GivenNoise(simulated_noise(setting, streams, run, steps))
        return Preset(setting, epsilon, noise, rng)

    return play_rounds(learner_of, setting, horizon, streams, checkpoints)
