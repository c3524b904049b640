"""What leaky-linear is compared with, on the same people (dense.py): dp-linear; na-imed, which
ignores contexts; and LinUCB without privacy."""

import math
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm, get_algorithm
from dpbandits.core.notions import JOINT, PURE
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import Streams
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.dense import DenseSetting, Instance, regrets
from dpbandits.sparse.dp_linear import DpLinear

WIDTH = 0.25  # of LinUCB's intervals: the best of 0.1, 0.25, 0.5, 1 on instances not reported


def by_learner(cls, epsilon, instance, horizon):
    """The regret of each round of a linear learner."""
    from dpbandits.sparse.engine import batch_by_batch  # needs numba, which learners do not

    noise = SimulatedNoise(instance.rng)
    own = cls(instance.setting.public, epsilon, noise, instance.rng)
    return batch_by_batch(own, instance, horizon)


@algorithm(
    "dense-dp-linear",
    setting=DenseSetting,
    source="dpbandits: dp-linear with one context for all arms",
    claim="assumed: proved in docs/proofs/FL.md, Theorem K1",
    notion=JOINT,
)
def dp_linear(setting, epsilon, horizon, streams, checkpoints):
    return regrets(setting, horizon, streams, checkpoints, partial(by_learner, DpLinear, epsilon))


def without_contexts(engine, setting, epsilon, horizon, streams, checkpoints):
    """na-imed. People come independently, so its rewards are those of a bandit with their mean
    rewards; what even the best arm for all of them loses is added."""
    checkpoints = np.asarray(checkpoints)
    regret, share = np.empty((2, len(streams), len(checkpoints)))
    own = get_algorithm("na-imed")
    for i, seed in enumerate(streams.seeds):
        instance = Instance(setting, seed, streams.generator(i))
        means = instance.means()
        bandit, one = own.setting(means=means.mean(axis=0).tolist()), Streams(streams.key, (seed,))
        simulate, streams_of = own.simulation(engine), one.child("na-imed")
        found = simulate(bandit, epsilon, horizon, streams_of, checkpoints)
        lost = means.max(axis=1).mean() - means.mean(axis=0).max()
        regret[i] = found.regret[0] + lost * checkpoints
        share[i] = regret[i] / (instance.idle() * checkpoints)
    return Trajectories(regret, {"share": share})


@algorithm(
    "dense-na-imed",
    setting=DenseSetting,
    source="dpbandits: na-imed, which does not see contexts",
    claim="assumed: proved in docs/proofs/OURS.md, Section 1",
    notion=PURE,
    fast=partial(without_contexts, "fast"),
)
def na_imed(setting, epsilon, horizon, streams, checkpoints):
    return without_contexts("plain", setting, epsilon, horizon, streams, checkpoints)


@algorithm("dense-linucb", setting=DenseSetting, source="LinUCB (Li et al. 2010), its width tuned")
def linucb(setting, epsilon, horizon, streams, checkpoints):
    return regrets(setting, horizon, streams, checkpoints, partial(by_ridge, WIDTH, None))


def by_ridge(width, draws, instance, horizon):
    """The regret of each round of ridge regressions, an arm each: optimistic by `width` standard
    deviations, or, with draws(rng, shape), by so many of them as are drawn."""
    from dpbandits.sparse.engine.ridges import ridges

    x, means, rewards = instance.people(horizon)
    z = np.concatenate((np.ones((horizon, 1)), x / math.sqrt(x.shape[1])), axis=1)
    widths = np.full(means.shape, width)
    if draws:
        widths *= draws(instance.rng, means.shape)
    played = ridges(z, rewards, widths)
    return means.max(axis=1) - means[np.arange(horizon), played]
