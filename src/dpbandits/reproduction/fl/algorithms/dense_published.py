"""Published rivals of leaky-linear, on the same people (sparse/dense.py): AdaPrivate-TS, rebuilt
from its abstract; Thompson sampling without privacy; and, with a block of coordinates for each arm,
the sparse FLIPHAT and dp-signs."""

import math
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.port import SimulatedNoise
from dpbandits.sparse.dense import MATTER, DenseSetting, regrets
from dpbandits.sparse.dense_rivals import by_learner, by_ridge
from dpbandits.sparse.dp_linear import PENALTY, WEIGHT, DpLinear
from dpbandits.sparse.dp_signs import DpSigns
from dpbandits.sparse.fliphat import Fliphat, FliphatConstants
from dpbandits.sparse.rounds import SparseConstants

# Chosen on instances that are not reported: the standard deviation of a sample, of 0.05, 0.1, 0.25
# and 0.5; FLIPHAT's steps, of 0.0001, 0.01, 0.1 and 0.3.
SPREAD, STEP, TINY = 0.1, 0.01, 1e-9


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


@algorithm(
    "dense-adaprivate-ts",
    setting=DenseSetting,
    source="Riyazat and Ukwatta, arXiv 2606.21757, rebuilt from the abstract",
    claim="assumed: proved in docs/proofs/FL.md, Theorem K1",
    notion=JOINT,
)
def adaprivate(setting, epsilon, horizon, streams, checkpoints):
    return regrets(setting, horizon, streams, checkpoints, partial(by_learner, AdaPrivate, epsilon))


@algorithm("dense-lints", setting=DenseSetting, source="linear Thompson sampling, its width tuned")
def lints(setting, epsilon, horizon, streams, checkpoints):
    play = partial(by_ridge, SPREAD, np.random.Generator.standard_normal)
    return regrets(setting, horizon, streams, checkpoints, play)


def told(instance) -> dict:
    """What the sparse ones know: an arm's coordinates are a block of K d, and how many matter."""
    own = instance.setting
    matter = min(MATTER, own.d) if own.law == "sparse" else own.d
    return {
        "arms": own.arms, "d": own.arms * own.d, "sparsity": own.arms * matter,
        "delta": own.delta,
    }  # fmt: skip


def by_blocks(start, epsilon, instance, horizon):
    """The regret of each round; of a person's rows, one for each arm, the played one is kept. What
    is 0 in it is tiny, as dp-signs reads signs."""
    x, means, rewards = instance.people(horizon)
    learner, K, d = start(instance, epsilon), instance.setting.arms, instance.setting.d
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


def signs_of(instance, epsilon):
    noise = SimulatedNoise(instance.rng)
    return DpSigns(SparseConstants(**told(instance)), epsilon, noise, instance.rng)


def fliphat_of(instance, epsilon):
    """It is told the size of the signal: of the slopes where they are steepest."""
    size = max(1.0, float(np.abs(instance.theta).sum()) / 2)
    own = FliphatConstants(**told(instance), b_max=size, clip=1.0, step_size=STEP)
    return Fliphat(own, epsilon, SimulatedNoise(instance.rng), instance.rng)


@algorithm(
    "dense-dp-signs",
    setting=DenseSetting,
    source="dpbandits: dp-signs with a block of coordinates for each arm",
    claim="assumed: proved in docs/proofs/FL.md, Theorem C1",
    notion=JOINT,
)
def signs(setting, epsilon, horizon, streams, checkpoints):
    return regrets(setting, horizon, streams, checkpoints, partial(by_blocks, signs_of, epsilon))


@algorithm(
    "dense-fliphat",
    setting=DenseSetting,
    source="FL Algorithm 2, as `fliphat`, and a block of coordinates for each arm",
    claim="assumed: proved in docs/proofs/FL.md, Theorem B1",
    notion=JOINT,
)
def fliphat(setting, epsilon, horizon, streams, checkpoints):
    return regrets(setting, horizon, streams, checkpoints, partial(by_blocks, fliphat_of, epsilon))
