"""FLIPHAT (FL Algorithms 1 to 3): greedy episodes, each with N-IHT's estimate from the last one.

Names, and the line numbers in comments, are those of the printed algorithms. Two things differ, and
make it private: contexts are clipped at x_max, and the noise of Peeling, Gumbel for the selection
and Gaussian for the values, is set for what a record may move a step (docs/proofs/FL.md, Theorem
B1).
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.zcdp import largest_rho
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.rounds import Positive, Sparse, SparseConstants, play_rounds


class Tuning(NamedTuple):
    """What N-IHT does with the n rows of an episode, in the paper's names."""

    R: float  # where rewards are clipped
    C: float  # radius of the l1 ball
    xi: np.ndarray  # scale of the noise in each step's Peeling

    @property
    def M(self) -> int:
        """The number of steps."""
        return len(self.xi)


def steps(setting, n: int) -> int:
    """M, a function of n only."""
    return max(1, math.floor(setting.steps_factor * math.log1p(n)))


def for_sensitivity(setting, n: int, M: int, multiple: float) -> Tuning:
    """xi is a multiple of what a replaced record may move a step: eta/n 4 x_max (R + P).

    P bounds |x'theta|: 0 in the first step, which starts from 0, and x_max C later. x_max, b_max,
    sigma and the clip are public constants.
    """
    default = setting.x_max * setting.b_max + setting.sigma * math.sqrt(2 * math.log1p(n))
    R, C = setting.clip or default, setting.b_max
    unit = multiple * setting.step_size / n * 4 * setting.x_max
    later = unit * (R + C * setting.x_max)
    return Tuning(R, C, np.array([unit * R, *[later] * (M - 1)]))


class Tuned:
    """The constants of an episode, of settings that have its knobs."""

    @property
    def context_clip(self) -> float:
        """The bound at which contexts are clipped; inf: not at all."""
        return self.x_max

    def tuning(self, epsilon: float, n: int) -> Tuning:
        """For an estimate from n rows: M steps of s selections and releases cost rho together."""
        M = steps(self, n)
        rho = largest_rho(epsilon, self.delta)
        return for_sensitivity(self, n, M, math.sqrt(M * self.sparsity / rho))

    def moved(self, n: int) -> np.ndarray:
        """How far a record may move an entry of theta_half in each step."""
        return for_sensitivity(self, n, steps(self, n), 1.0).xi


class FliphatSetting(Tuned, SparseSetting):
    """The instance and FLIPHAT's tuning."""

    steps_factor: Annotated[float, Field(ge=0, le=10**4)] = 0.16  # M/ln n, roughly
    step_size: Annotated[float, Field(gt=0, le=1e9)] = 1e-4  # eta


def peeling(v: np.ndarray, s: int, xi: float, noise, moved=1.0) -> np.ndarray:
    """Algorithm 3; `noise` is a port (dpbandits.core.port), `moved` how far a record moves v_j.
    One noise vector selects in all rounds."""
    S = noise.argmax(np.abs(v), xi, "gumbel", count=s, sensitivity=moved, name="abs(v)")  # 1 to 6
    peeled = np.zeros_like(v)
    peeled[S] = noise.gaussian(v[S], xi, sensitivity=moved, name="v")  # 7, 8, 9
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


def niht(X, y, setting, tuning: Tuning, noise, moved=None, peel=None) -> np.ndarray:
    """Algorithm 1 on the loss mean (y - X theta)^2; moved[m]: how far a record moves theta_half.
    peel: in place of `peeling`."""
    n, d = X.shape
    s, eta = setting.sparsity, setting.step_size
    moved = np.ones(tuning.M) if moved is None else moved
    theta = np.zeros(d)  # 1
    y = np.clip(y, -tuning.R, tuning.R)  # of line 3, once
    for m in range(tuning.M):  # 2
        gradient = -2 / n * X.T @ (y - X @ theta)
        theta_half = theta - eta * gradient  # 3
        theta_tilde = (peel or peeling)(theta_half, s, tuning.xi[m], noise, moved[m])  # 4
        theta = project_l1(theta_tilde, tuning.C)  # 5
    return theta  # 7


class FliphatConstants(Tuned, SparseConstants):
    b_max: Positive = Field(description="bound on the l1 norm of beta*")
    x_max: Positive | None = None  # bound of the entries of contexts; default sqrt(2 ln d)
    sigma: float = Field(0.1, ge=0)  # of the rewards' noise
    clip: Positive | None = None  # R; default as in `for_sensitivity`
    steps_factor: float = Field(0.16, ge=0)
    step_size: Positive = 1e-4

    def model_post_init(self, context):
        if self.x_max is None:
            object.__setattr__(self, "x_max", math.sqrt(2 * math.log(self.d)))


class Fliphat(Sparse):
    """Algorithm 2. Episode 0 is the one round of lines 1 to 5."""

    model = FliphatConstants
    not_covered = (
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
            self.theta = self.estimate(np.array(self.X), np.array(self.y))
            self.X, self.y = [], []  # 9

    def estimate(self, X, y):
        tuning = self.setting.tuning(self.epsilon, len(y))  # 7
        moved = self.setting.moved(len(y))
        return niht(X, y, self.setting, tuning, self.noise, moved)  # 8


@algorithm(
    "fliphat",
    setting=FliphatSetting,
    source="FL Algorithm 2, with clipped contexts and noise for the true sensitivity",
    claim="assumed: proved in docs/proofs/FL.md, Theorem B1",
    notion=JOINT,
    learner=Fliphat,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Curves: error (of the current estimate, l2), cosine (with beta*), support (share of beta*'s
    support that it holds).
    """

    def learner_of(run, rng):
        private = SimulatedNoise(streams.child("privacy").generator(run))
        return Fliphat(setting, epsilon, private, rng)

    return play_rounds(learner_of, setting, horizon, streams, checkpoints)
