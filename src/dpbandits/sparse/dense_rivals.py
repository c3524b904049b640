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

# Of LinUCB's intervals: the best on instances that are not reported (benchmarks/rivals.py)
WIDTH = 0.5


def of_people(name: str, **about):
    """Register `play(epsilon, instance, horizon)`, the regret of each round, as an algorithm."""

    def register(play):
        def simulate(setting, epsilon, horizon, streams, checkpoints):
            return regrets(setting, horizon, streams, checkpoints, partial(play, epsilon))

        simulate.__module__, simulate.__wrapped__ = play.__module__, play  # where to look for it
        algorithm(name, setting=DenseSetting, **about)(simulate)
        return play

    return register


def by_learner(cls, epsilon, instance, horizon):
    """The regret of each round of a linear learner."""
    from dpbandits.sparse.engine import batch_by_batch  # needs numba, which learners do not

    noise = SimulatedNoise(instance.rng)
    own = cls(instance.setting.public, epsilon, noise, instance.rng)
    return batch_by_batch(own, instance, horizon)


@of_people(
    "dense-dp-linear",
    source="dpbandits: dp-linear with one context for all arms",
    claim="assumed: proved in docs/proofs/FL.md, Theorem K1",
    notion=JOINT,
)
def dp_linear(epsilon, instance, horizon):
    return by_learner(DpLinear, epsilon, instance, horizon)


def in_cells(numbers, engine, setting, epsilon, horizon, streams, checkpoints):
    """na-imed, one in each of 2^numbers cells of people: by which of the `numbers` that vary most
    are above their medians. People come independently, so its rewards in a cell are those of a
    bandit with their mean rewards; what even the best arm for the whole cell loses is added. Of all
    people who have come a cell has its share."""
    checkpoints, own = np.asarray(checkpoints), get_algorithm("na-imed")
    regret, share = np.zeros((2, len(streams), len(checkpoints)))
    for i, seed in enumerate(streams.seeds):
        instance = Instance(setting, seed, streams.generator(i))
        x, means = instance.many()
        widest = np.argsort(-x.var(axis=0), kind="stable")[:numbers]
        cells = (x[:, widest] > np.median(x[:, widest], axis=0)) @ 2 ** np.arange(len(widest))
        for cell in np.unique(cells).tolist():
            here, labels = means[cells == cell], [cell] * (numbers > 0)
            of = len(here) / len(x)
            rounds, last = np.rint(checkpoints * of).astype(int), max(1, round(horizon * of))
            at = np.unique(np.maximum(rounds, 1))
            bandit = own.setting(means=here.mean(axis=0).tolist())
            one = Streams(streams.key, (seed,)).child("na-imed", *labels)
            found = own.simulation(engine)(bandit, epsilon, last, one, at)
            lost = here.max(axis=1).mean() - here.mean(axis=0).max()
            regret[i] += np.interp(rounds, [0, *at], [0, *found.regret[0]]) + lost * rounds
        share[i] = regret[i] / (instance.idle() * checkpoints)
    return Trajectories(regret, {"share": share})


@algorithm(
    "dense-na-imed",
    setting=DenseSetting,
    source="dpbandits: na-imed, which does not see contexts",
    claim="assumed: proved in docs/proofs/OURS.md, Section 1",
    notion=PURE,
    uses=("na-imed",),
    fast=partial(in_cells, 0, "fast"),
)
def na_imed(*arguments):
    return in_cells(0, "plain", *arguments)


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


@of_people("dense-linucb", source="LinUCB (Li et al. 2010), its width tuned")
def linucb(epsilon, instance, horizon):
    return by_ridge(WIDTH, None, instance, horizon)
