"""What leaky-linear is compared with, on the same people (sparse/dense.py): dp-linear; na-imed,
which ignores contexts; and LinUCB without privacy."""

import math
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.compiled import jit
from dpbandits.core.notions import JOINT, PURE
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import Streams
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.dense import DenseSetting, Instance, regrets
from dpbandits.sparse.dp_linear import DpLinear
from dpbandits.sparse.engine import batch_by_batch
from dpbandits.stochastic.engine import simulate
from dpbandits.stochastic.na_imed import NaImed
from dpbandits.stochastic.problem import StochasticSetting

WIDTH = 0.25  # of LinUCB's intervals: the best of 0.1, 0.25, 0.5, 1 on instances not reported


def by_dp_linear(driver, epsilon, instance, horizon):
    rng = instance.rng
    own = DpLinear(instance.setting.public, epsilon, SimulatedNoise(rng), rng)
    return driver(own, instance, horizon)


@algorithm(
    "dense-dp-linear",
    setting=DenseSetting,
    source="dpbandits: dp-linear with one context for all arms",
    claim="assumed: proved in docs/proofs/FL.md, Theorem K1",
    notion=JOINT,
)
def dp_linear(setting, epsilon, horizon, streams, checkpoints):
    return regrets(
        setting, horizon, streams, checkpoints, partial(by_dp_linear, batch_by_batch, epsilon)
    )


@algorithm(
    "dense-na-imed",
    setting=DenseSetting,
    source="dpbandits: na-imed, which does not see contexts",
    claim="assumed: proved in docs/proofs/OURS.md, Section 1",
    notion=PURE,
)
def na_imed(setting, epsilon, horizon, streams, checkpoints):
    """People come independently, so its rewards are those of a bandit with their mean rewards; what
    even the best arm for all of them loses is added."""
    checkpoints = np.asarray(checkpoints)
    regret, share = np.empty((2, len(streams), len(checkpoints)))
    for run, seed in enumerate(streams.seeds):
        instance = Instance(setting, seed, streams.generator(run))
        means, one = instance.means(instance.contexts(20_000)), Streams(streams.key, (seed,))
        bandit = StochasticSetting(means=tuple(means.mean(axis=0).tolist()))
        found = simulate(NaImed, bandit, epsilon, horizon, one.child("na-imed"), checkpoints)
        lost = means.max(axis=1).mean() - means.mean(axis=0).max()
        regret[run] = found.regret[0] + lost * checkpoints
        share[run] = regret[run] / (instance.idle() * checkpoints)
    return Trajectories(regret, {"share": share})


@algorithm("dense-linucb", setting=DenseSetting, source="LinUCB (Li et al. 2010), its width tuned")
def linucb(setting, epsilon, horizon, streams, checkpoints):
    return regrets(setting, horizon, streams, checkpoints, by_linucb)


def by_linucb(instance, horizon):
    x = instance.contexts(horizon)
    means = instance.means(x)
    z = np.concatenate((np.ones((horizon, 1)), x / math.sqrt(x.shape[1])), axis=1)
    played = optimist(z, instance.rng.random((horizon, means.shape[1])) < means, WIDTH)
    return means.max(axis=1) - means[np.arange(horizon), played]


@jit
def optimist(z, rewards, width):
    """The arms that ridge regressions play, each with its own inverse Gram matrix."""
    n, p = z.shape
    arms = rewards.shape[1]
    inverse, moment = np.zeros((arms, p, p)), np.zeros((arms, p))
    for a in range(arms):
        inverse[a] = np.eye(p)
    played = np.empty(n, np.int64)
    for t in range(n):
        best, chosen = -np.inf, 0
        for a in range(arms):
            v = inverse[a] @ z[t]
            index = 0.5 + moment[a] @ v + width * np.sqrt(z[t] @ v)
            if index > best:
                best, chosen = index, a
        played[t] = chosen
        v = inverse[chosen] @ z[t]
        inverse[chosen] -= np.outer(v, v) / (1 + z[t] @ v)
        moment[chosen] += (rewards[t, chosen] - 0.5) * z[t]
    return played
