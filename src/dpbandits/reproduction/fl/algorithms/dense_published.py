"""Rivals of leaky-linear, on the same people (sparse/dense.py): AdaPrivate-TS, rebuilt from its
abstract; Thompson sampling without privacy; na-imed in public cells; and, with a block of
coordinates for each arm, the sparse FLIPHAT and dp-signs."""

import math
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT, PURE
from dpbandits.core.port import SimulatedNoise
from dpbandits.sparse.dense import MATTER, DenseSetting
from dpbandits.sparse.dense_rivals import by_learner, by_ridge, in_cells, of_people
from dpbandits.sparse.dp_linear import PENALTY, WEIGHT, DpLinear
from dpbandits.sparse.dp_signs import DpSigns
from dpbandits.sparse.fliphat import Fliphat, FliphatConstants
from dpbandits.sparse.rounds import SparseConstants

# The best on instances that are not reported (benchmarks/rivals.py): v of AdaPrivate-TS, standard
# deviations of what Thompson sampling draws, and FLIPHAT's steps.
SPREAD, WIDTH, STEP, TINY = 0.02, 0.25, 0.03, 1e-9
SPLIT = 3  # numbers of a person, of which each is cut in two: eight cells


class AdaPrivate(DpLinear):
    """Samples of theta with covariance v^2 A^-1 + sigma^2 A^-2, where sigma is the noise in the
    moments; A is private, too, as is all that reads people here. Batches grow by 2, and all
    releases are added up; sensitivity, weights and penalty, which the abstract does not name, are
    those of dp-linear."""

    def release(self):
        super().release()
        self.length = self.t

    def estimate(self):
        values, vectors = np.linalg.eigh(self.released_grams())
        noise = self.weights * (self.scale / WEIGHT) ** 2
        penalty = 1 + PENALTY * self.scale * math.sqrt(2 * values.shape[1] * self.weights)
        inverse = 1 / (np.maximum(values, 0) + penalty)
        variances = (SPREAD**2 + noise * inverse) * inverse
        self.covariance = vectors * variances[:, None, :] @ vectors.swapaxes(1, 2)
        return super().estimate()

    def index(self, x):
        z = self.features(x)
        variance = np.einsum("...i,aij,...j->...a", z, self.covariance, z, optimize=True)
        return z @ self.theta.T + np.sqrt(variance) * self.rng.standard_normal(variance.shape)


@of_people(
    "dense-adaprivate-ts",
    source="Riyazat and Ukwatta, arXiv 2606.21757, rebuilt from the abstract",
    claim="assumed: proved in docs/proofs/FL.md, Theorem K1",
    notion=JOINT,
)
def adaprivate(epsilon, instance, horizon):
    return by_learner(AdaPrivate, epsilon, instance, horizon)


@of_people("dense-lints", source="linear Thompson sampling, its width tuned")
def lints(epsilon, instance, horizon):
    return by_ridge(WIDTH, np.random.Generator.standard_normal, instance, horizon)


@algorithm(
    "dense-na-imed-cells",
    setting=DenseSetting,
    source="dpbandits: na-imed in each of eight cells; which one a person is in is not protected",
    claim="assumed: proved in docs/proofs/OURS.md, Section 1",
    notion=PURE,
    uses=("na-imed",),
    fast=partial(in_cells, SPLIT, "fast"),
)
def cells(*arguments):
    return in_cells(SPLIT, "plain", *arguments)


def told(instance) -> dict:
    """What the sparse ones know: an arm's coordinates are a block of K d, and how many matter."""
    own = instance.setting
    matter = min(MATTER, own.d) if own.law == "sparse" else own.d
    return {
        "arms": own.arms, "d": own.arms * own.d, "sparsity": own.arms * matter,
        "delta": own.delta,
    }  # fmt: skip


def by_blocks(learner, instance, horizon):
    """The regret of each round; of a person's rows, one for each arm, the played one is kept. What
    is 0 in it is tiny, as dp-signs reads signs."""
    x, means, rewards = instance.people(horizon)
    K, d = instance.setting.arms, instance.setting.d
    played = np.empty(horizon, int)
    for t in range(horizon):
        a = learner.rng.integers(K)
        if learner.episode:
            a = np.argmax(learner.theta.reshape(K, d) @ x[t])
        row = learner.rng.normal(scale=TINY, size=(K, d))
        row[a] = x[t]
        learner.update(a, 2 * rewards[t, a] - 1, {a: row.ravel()})
        played[t] = a
    return means.max(axis=1) - means[np.arange(horizon), played]


@of_people(
    "dense-dp-signs",
    source="dpbandits: dp-signs with a block of coordinates for each arm",
    claim="assumed: proved in docs/proofs/FL.md, Theorem C1",
    notion=JOINT,
)
def signs(epsilon, instance, horizon):
    own, noise = SparseConstants(**told(instance)), SimulatedNoise(instance.rng)
    return by_blocks(DpSigns(own, epsilon, noise, instance.rng), instance, horizon)


@of_people(
    "dense-fliphat",
    source="FL Algorithm 2, as `fliphat`, and a block of coordinates for each arm",
    claim="assumed: proved in docs/proofs/FL.md, Theorem B1",
    notion=JOINT,
)
def fliphat(epsilon, instance, horizon):
    """It is told the size of the signal: of the slopes where they are steepest."""
    size, noise = max(1.0, float(np.abs(instance.theta).sum()) / 2), SimulatedNoise(instance.rng)
    own = FliphatConstants(**told(instance), b_max=size, clip=1.0, step_size=STEP)
    return by_blocks(Fliphat(own, epsilon, noise, instance.rng), instance, horizon)
