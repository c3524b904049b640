"""dp-linear: dense contexts of one's own, by noisy sums of disjoint batches (ours).

A context x in R^d becomes z = (1/2, sqrt(3/4) x/max(norm, |x|)), a reward y in [-1/2, 1/2]. Batches
grow by 1.5. At the end of one, the sums of zz' and of w y z over its rounds, of each arm, leave
with Gaussian noise; all released sums are added up, each with the weight n/(n + m0) of a batch of n
rounds. A ridge regression, whose penalty is the size that noise gives a Gram matrix, estimates each
arm's theta; the arm with the largest z'theta is played, in the first batch a random one. A record
is in one release and moves its sums by DELTA at most, so that the exact delta of Gaussian noise is
the promise's; an action depends on releases and on its user's own context alone (docs/proofs/FL.md,
Theorem K1). Batches end after given numbers of rounds, so that no horizon is needed.

With `shared`, x is a row for each arm, all rows have one theta, and there is one sum: so it is
simulated here, on FL's problem beside FLIPHAT and dp-signs. A learner has one context for all arms
and a theta for each by default.

Joint privacy by noisy Gram matrices: Shariff and Sheffet 2018, who release sums of overlapping
rounds by a tree. Batches whose number is logarithmic, without a tree: AdaC-OFUL (Chen et al.,
arXiv 2309.00557) and AdaPrivate-TS (arXiv 2606.21757). Here the exact joint sensitivity, weights,
the penalty and greedy choices are put together; no novelty is claimed.
"""

import math
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core import gaussian
from dpbandits.core.algorithms import algorithm
from dpbandits.core.models import Horizon, Model, parse
from dpbandits.core.notions import JOINT
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.problem import Problem
from dpbandits.sparse.problem import DELTA as CHOSEN_DELTA
from dpbandits.sparse.problem import SparseSetting, contexts, reward_noise, signal_variance
from dpbandits.sparse.recorder import cumulative
from dpbandits.sparse.rounds import Sparse

INTERCEPT, WEIGHT = 0.5, 2.0  # z's first entry; w, how much more exactly moments are released
DELTA = math.sqrt(2) * (1 + WEIGHT**2 / 8)  # what a record moves: docs/proofs/FL.md, K1.1
PENALTY, TRUST, GROWTH = 0.7, 2.0, 1.5  # chosen on simulated logistic rewards
FAR = 4  # times `norm`: contexts of this length are no longer those that it was chosen for
GRID, MOST = 2.0**-24, 2**29  # of sums: those of so many rounds are exact


class LinearProblem(Model):
    """What a learner must know: all public constants, whose choice may not look at the data."""

    arms: Annotated[int, Field(ge=2)]
    d: Annotated[int, Field(ge=1, le=4096)]
    delta: Annotated[float, Field(ge=1e-300, lt=1)]  # smaller: FL.md, A6.4 says nothing
    # Longer contexts are shortened to it; null: 0.7 sqrt(d), for features of variance 1.
    norm: Annotated[float | None, Field(ge=1e-100, le=1e100)] = None
    shared: bool = False


class Dense(Sparse):
    """What dp-linear and leaky-linear share: one context for all arms, rewards from 0 to 1."""

    name: str
    need: float  # need d^0.9/eps rounds per arm: the regret is half of a random arm's, or so
    takes_range, conversion = True, gaussian  # all that leaves has Gaussian noise
    model = LinearProblem
    acted = 0  # people so far

    @classmethod
    def from_user(cls, setting, horizon=None, **options):
        """(arguments of the constructor, setting); a given horizon is compared with `need`."""
        checked = parse(cls.model, options, "learner")
        if horizon is not None:
            horizon = parse(Horizon, {"horizon": horizon}, "learner").horizon
        return {"setting": checked, "horizon": horizon}, checked

    def __init__(self, setting, epsilon, noise, rng, horizon=None):
        self.horizon = horizon
        super().__init__(setting, epsilon, noise, rng)

    @property
    def advice(self) -> str:
        """What a user should know before the first round; "" if nothing."""
        own = self.setting
        least = round(own.arms * self.need * own.d**0.9 / self.epsilon)
        if self.horizon is None or self.horizon >= least:
            return ""
        return (
            f"{self.name}: {self.horizon} rounds are few: for {own.arms} arms, d = {own.d} and "
            f"epsilon = {self.epsilon:g} its regret is half of a random arm's after some {least} "
            "rounds; a bandit without contexts may be better (docs/which.md)"
        )

    @property
    def context_form(self) -> str:
        return " x ".join(map(str, self.context_shape(self.setting))) + " numbers"

    @staticmethod
    def context_shape(setting):
        return (setting.arms, setting.d) if setting.shared else (setting.d,)

    def shortens(self, x):
        """Whether most of a context's length is lost."""
        with np.errstate(over="ignore"):
            return np.median(np.linalg.norm(x, axis=-1)) > FAR * self.norm

    read_reward = Problem.read_reward


class DpLinear(Dense):
    name, need = "dp-linear", 130
    state = ("sums", "released", "weights", "n", "t", "length")
    grid = GRID
    not_covered = (
        "contexts longer than norm= are shortened to it",
        "norm=, and the scale of features, chosen by looking at the data: they must be public",
    )
    audited = {"horizon": 9, "arms": 2, "d": 1, "delta": 0.01, "tries": 100}

    @classmethod
    def told(cls, sizes):
        """Rewards of two standard deviations of x'beta, as they are simulated."""
        given = {"arms": sizes.arms, "d": sizes.dim, "delta": CHOSEN_DELTA, "shared": True}
        return given | {"reward_range": (-2, 2), "rewards": "clip"}

    def start(self):
        own, p = self.setting, self.setting.d + 1
        self.norm = own.norm or 0.7 * math.sqrt(own.d)
        self.row, self.column = np.triu_indices(p)
        self.unit = np.where(self.row == self.column, 1.0, math.sqrt(2))  # keeps Frobenius norms
        blocks, size = 1 if own.shared else own.arms, len(self.row) + p
        rounding = math.sqrt(2 * size) * GRID
        rho = gaussian.largest_rho(self.epsilon, own.delta)
        self.scale = gaussian.scale_for(DELTA + rounding, rho, GRID)
        self.sums, self.released = np.zeros((blocks, size)), np.zeros((blocks, size))
        self.theta, self.weights = np.zeros((blocks, p)), 0.0
        self.n, self.t, self.length = 0, 0, 2 * own.arms * p

    def features(self, x):
        """z, of norm 1 at most; the last axis of x has d entries."""
        with np.errstate(over="ignore"):  # of an endless context z is (1/2, 0)
            size = np.linalg.norm(x, axis=-1, keepdims=True)
        unit = x * (math.sqrt(1 - INTERCEPT**2) * (1 - 1e-12) / np.maximum(self.norm, size))
        return np.concatenate((np.full_like(size, INTERCEPT), unit), axis=-1)

    def index(self, x):
        """z'theta of each arm."""
        products = self.features(x) @ self.theta.T
        return products[..., 0] if self.setting.shared else products

    def summed(self, rows, y):
        """The sums of the records of one block (rows: z of each)."""
        products = self.unit * (rows.T @ rows)[self.row, self.column]
        return np.concatenate((products, WEIGHT * y @ rows))

    def update(self, a, r, x):
        z, y = self.features(x[a] if self.setting.shared else x), min(max(r, 0.0), 1.0) - 0.5
        products = self.unit * z[self.row] * z[self.column]
        record = np.concatenate((products, WEIGHT * y * z))
        self.sums[0 if self.setting.shared else a] += np.rint(record / GRID) * GRID
        self.n += 1
        if self.n == self.length:
            self.release()

    def release(self):
        noisy = self.noise.gaussian(self.sums, self.scale, sensitivity=DELTA, name="sums")
        least = TRUST * self.setting.arms * self.theta.shape[1] * (self.scale / WEIGHT) ** 2
        weight = self.n / (self.n + least)
        self.released += weight * noisy
        self.weights += weight**2
        self.t, self.episode = self.t + self.n, self.episode + 1
        self.n, self.length = 0, min(max(1, round((GROWTH - 1) * self.t)), MOST)
        self.sums = np.zeros_like(self.sums)
        self.theta = self.estimate()

    def released_grams(self):
        p, k = self.theta.shape[1], len(self.row)
        gram = np.zeros((len(self.sums), p, p))
        gram[:, self.row, self.column] = self.released[:, :k] / self.unit
        gram[:, self.column, self.row] = gram[:, self.row, self.column]
        return gram

    def estimate(self):
        """Each theta shrunk towards one reward for all arms, by the size of the Gram's noise."""
        p, gram = self.theta.shape[1], self.released_grams()
        moment = self.released[:, len(self.row) :] / WEIGHT
        penalty = 1 + PENALTY * self.scale * math.sqrt(2 * p * self.weights)
        rounds = max(gram[:, 0, 0].sum(), 0) + math.sqrt(len(gram)) * self.scale + 1
        mean = np.clip(INTERCEPT * moment[:, 0].sum() / rounds, -0.5, 0.5)
        base = np.zeros(p)
        base[0] = mean / INTERCEPT
        values, vectors = np.linalg.eigh(gram)
        inverse = vectors / (np.maximum(values, 0) + penalty)[:, None] @ vectors.swapaxes(1, 2)
        return (inverse @ (moment - gram @ base)[:, :, None])[:, :, 0]


def start(setting: SparseSetting, epsilon: float, noise, rng) -> DpLinear:
    """A learner for FL's problem, which knows what a deployed one would be told."""
    public = {"arms": setting.arms, "d": setting.d, "delta": setting.delta, "shared": True}
    return DpLinear(LinearProblem(**public), epsilon, noise, rng)


def scaled(setting: SparseSetting, rewards):
    """Rewards brought from [-R, R] to [0, 1], R = `clip` or, without it, 2 sd of x'beta*."""
    most = setting.clip or 2 * math.sqrt(signal_variance(setting))
    return (np.clip(rewards, -most, most) / most + 1) / 2


def regret_of_run(setting: SparseSetting, epsilon: float, horizon: int, rng) -> np.ndarray:
    """The regret of each round of a run."""
    learner, regret = start(setting, epsilon, SimulatedNoise(rng), rng), np.empty(horizon)
    for t in range(horizon):
        x = contexts(setting, rng, 1)[0]  # K x d
        means = x @ setting.signal
        a = learner.act(x)
        reward = means[a] + reward_noise(setting, rng, 1)[0]
        learner.update(a, float(scaled(setting, reward)), x)
        regret[t] = means.max() - means[a]
    return regret


@algorithm(
    "dp-linear",
    setting=SparseSetting,
    source="dpbandits",
    claim="assumed: proved in docs/proofs/FL.md, Theorem K1",
    notion=JOINT,
    learner=DpLinear,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return cumulative(partial(regret_of_run, setting, epsilon, horizon), streams, checkpoints)
