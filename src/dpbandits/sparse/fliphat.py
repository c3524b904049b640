"""FLIPHAT (FL Algorithms 1 to 3): greedy episodes, each with N-IHT's estimate from the last one.

Names, and the line numbers in comments, are those of the printed algorithms. The preset decides the
constants (`presets`) and the law of Peeling's noise; the rest is as printed. Contexts are clipped
where the preset asks for it (`corrected`, `zcdp`). engine/fliphat.py is a fast version.
"""

import math
from functools import cache, partial
from typing import Literal

import numpy as np
from pydantic import Field

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.port import first_largest
from dpbandits.sparse.presets import FliphatSetting, Tuning, sensitivities, tuning_for
from dpbandits.sparse.rounds import Positive, Sparse, SparseConstants, play_rounds


def peeling(v: np.ndarray, s: int, xi: float, noise, gumbel=False, moved=1.0) -> np.ndarray:
    """Algorithm 3; `noise` is a port (dpbandits.core.port), `moved` how far a record moves v_j.

    With `gumbel` (preset zcdp) one noise vector selects in all rounds, and the release is Gaussian.
    """
    release, S = noise.laplace, []  # 1; xi is in `presets`
    if gumbel:
        release = noise.gaussian
        S = noise.argmax(np.abs(v), xi, "gumbel", count=s, sensitivity=moved, name="abs(v)")
    while len(S) < s:  # 2
        left = np.abs(v)
        left[S] = -np.inf  # j in [d] \ S
        S.append(noise.argmax(left, xi, sensitivity=moved, name="abs(v)"))  # 3, 4, 5
    peeled = np.zeros_like(v)
    peeled[S] = release(v[S], xi, sensitivity=moved, name="v")  # 7, 8, 9
    return peeled


def project_l1(v: np.ndarray, radius: float) -> np.ndarray:
    """Pi_C: the nearest point of the l1 ball, by the soft threshold that brings v's norm to C."""
    sizes = np.abs(v)
    if sizes.sum() <= radius:
        return v
    positive = np.sort(sizes[sizes > 0])[::-1]
    levels = (np.cumsum(positive) - radius) / np.arange(1, len(positive) + 1)
    level = levels[np.flatnonzero(positive > levels)[-1]]
    return np.sign(v) * np.maximum(sizes - level, 0.0)


def niht(X, y, setting, tuning: Tuning, noise, moved=None) -> np.ndarray:
    """Algorithm 1 on the loss mean (y - X theta)^2; moved[m]: how far a record moves theta_half.

    Without any step (M = 0, which presets may ask for in early episodes) the estimate is 0.
    """
    n, d = X.shape
    s, eta = setting.sparsity, setting.step_size
    moved = np.ones(tuning.M) if moved is None else moved
    theta = np.zeros(d)  # 1
    y = np.clip(y, -tuning.R, tuning.R)  # of line 3, once
    for m in range(tuning.M):  # 2
        gradient = -2 / n * X.T @ (y - X @ theta)
        theta_half = theta - eta * gradient  # 3
        gumbel = setting.preset == "zcdp"
        theta_tilde = peeling(theta_half, s, tuning.xi[m], noise, gumbel, moved[m])  # 4
        theta = project_l1(theta_tilde, tuning.C)  # 5
    return theta  # 7


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


def simulated_noise(setting: FliphatSetting, streams, run: int, steps):
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
        if setting.preset == "zcdp":
            yield selection.gumbel(size=d), release.standard_normal(d)
        elif setting.preset == "released" and setting.peeling_noise == "reused":
            first = episode - 1 + m
            missing = max(0, first + s - len(sequence))
            sequence = np.concatenate((sequence, selection.laplace(size=(missing, d))))
            yield sequence[first : first + s], release.laplace(size=d)
        else:
            yield selection.laplace(size=(s, d)), release.laplace(size=d)


def real_epsilon(setting, epsilon: float) -> float:
    """Contexts that are not clipped leave no finite epsilon (docs/proofs/FL.md, Theorem B4)."""
    return epsilon if setting.preset in ("corrected", "zcdp") else math.inf


class FliphatConstants(SparseConstants):
    """Constants of the preset zcdp, which is the one that can be deployed."""

    b_max: Positive = Field(description="bound on the l1 norm of beta*")
    x_max: Positive | None = None  # bound of the entries of contexts; default sqrt(2 ln d)
    sigma: float = Field(0.1, ge=0)  # of the rewards' noise
    clip: Positive | None = None  # R; default as in `presets`
    steps_factor: float = Field(0.16, ge=0)
    step_size: Positive = 1e-4
    preset: Literal["zcdp"] = "zcdp"

    def model_post_init(self, context):
        if self.x_max is None:
            object.__setattr__(self, "x_max", math.sqrt(2 * math.log(self.d)))

    @property
    def context_clip(self) -> float:
        return self.x_max


class Fliphat(Sparse):
    """Algorithm 2. Episode 0 is the one round of lines 1 to 5."""

    model = FliphatConstants
    clips = (
        "accuracy for rewards beyond R or contexts beyond x_max: they are clipped, so all of them "
        "are private; R is `clip` or, without it, b_max x_max + sigma "
        "sqrt(2 ln(1 + n)) after n rounds, with your sigma (0.1 if not given)",
        "b_max, x_max, sigma or clip chosen by looking at the data: they must be public",
    )

    @classmethod
    def told(cls, sizes):
        """b_max: of a signal of length 1."""
        return super().told(sizes) | {"b_max": math.ceil(math.sqrt(sizes.dim))}

    def index(self, x):
        return self.clipped(x) @ self.theta  # 11

    def clipped(self, x):
        return np.clip(x, -self.setting.context_clip, self.setting.context_clip)

    def shortens(self, x):
        """Whether most entries are clipped."""
        return np.mean(np.abs(x) > self.setting.context_clip) > 0.5

    def update(self, a, r, x):  # 3, 12
        self.X.append(self.clipped(x[a]))  # 4, 13
        self.y.append(r)
        if len(self.y) == 2**self.episode:  # 6: an episode of 2^l rounds ends
            self.episode += 1
            n, epsilon = len(self.y), self.epsilon
            tuning = tuning_for(self.setting, epsilon, n)  # 7
            moved = sensitivities(self.setting, n)
            X, y = np.array(self.X), np.array(self.y)
            self.theta = niht(X, y, self.setting, tuning, self.noise, moved)  # 8
            self.X, self.y = [], []  # 9


@algorithm(
    "fliphat",
    setting=FliphatSetting,
    source="FL Algorithm 2",
    claim="FL-T5.1",
    notion=JOINT,
    real=real_epsilon,
    learner=Fliphat,
    proof="docs/proofs/FL.md, Theorem B1",
    instead="the preset zcdp",
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Curves: error (of the current estimate, l2), cosine (with beta*), support (share of beta*'s
    support that it holds).
    """
    steps_for = cache(partial(tuning_for, setting, epsilon))

    def learner_of(run, rng):
        estimates = range(1, int(horizon).bit_length() + 1)
        steps = ((e, m) for e in estimates for m in range(steps_for(2 ** (e - 1)).M))
        noise = GivenNoise(simulated_noise(setting, streams, run, steps))
        return Fliphat(setting, epsilon, noise, rng)

    return play_rounds(learner_of, setting, horizon, streams, checkpoints)
