"""A problem of its own: each round a person of one of a few kinds, and rewards of 0 or 1.

`Kinds` says what a context is, which records an audit plays and on which instances `choose`
compares. `kinds` is an algorithm for it: in batches that double, it releases the noisy sum of the
rewards and the noisy number of the rounds of each kind and arm. A record is in one release, and
replacing it moves two sums and two numbers by at most 1 each: Laplace noise of scale 4/epsilon. An
action depends on releases and on the person's own kind alone: joint privacy.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.algorithms import algorithm
from dpbandits.core.errors import InputError
from dpbandits.core.models import Model, Several, whole
from dpbandits.core.notions import PURE_JOINT
from dpbandits.core.port import REWARD_GRID, SimulatedNoise
from dpbandits.core.problem import Environment, Problem, Records, in_group
from dpbandits.core.trajectories import Trajectories

Mean = Annotated[float, Field(ge=0, le=1)]


class Sizes(Model):
    """What a learner is told."""

    arms: Several
    kinds: Several


class Setting(Model):
    means: tuple[tuple[Mean, ...], ...] = ((0.8, 0.2), (0.3, 0.6))  # of each arm, a row for a kind

    @property
    def sizes(self) -> Sizes:
        return Sizes(arms=len(self.means[0]), kinds=len(self.means))


class Town(Environment):
    """All kinds are as frequent, and have means of their own; `dim`: the number of kinds."""

    setting, beside = Setting, "kinds"
    about = "kinds of people with means of their own"

    def instances(self, count):
        rng = np.random.default_rng([self.sizes.arms, self.sizes.dim])
        low, high = self.sizes.means
        drawn = low + (high - low) * rng.random((count, self.sizes.dim, self.sizes.arms))
        return [{"means": means} for means in drawn.tolist()]

    @staticmethod
    def play(setting, rng):
        table = np.array(setting.means)
        while True:
            kind = int(rng.integers(len(table)))
            yield kind, table[kind], lambda arm, row=table[kind]: float(rng.random() < row[arm])

    def random(self, instances, regret):
        tables = np.array([one["means"] for one in instances])
        lost = tables.max(axis=2) - tables.mean(axis=2)
        return self.sizes.horizon * lost.mean(axis=1)


class Kinds(Problem):
    model, environment, takes_context = Sizes, Town, True
    neighbours = "kind and reward of {rounds} change; actions of other rounds are protected"
    for_person = classmethod(in_group)
    audited = {"horizon": 5, "arms": 2, "kinds": 2}

    @classmethod
    def told(cls, sizes):
        return {"arms": sizes.arms, "kinds": sizes.dim}

    @classmethod
    def records(cls, setting):
        return Records(tuple((kind, x) for kind in range(setting.kinds) for x in (0.0, 1.0)))

    @property
    def context_form(self):
        return f"a kind, from 0 to {self.setting.kinds - 1}"

    def read_context(self, context):
        if not 0 <= whole(context) < self.setting.kinds:
            raise InputError(f"act: the context: allowed: {self.context_form}")
        return int(context)


class Doubling(Kinds):
    state = ("batch", "released", "n", "length")
    grid = REWARD_GRID

    def __init__(self, setting, epsilon, noise, rng):
        self.setting, self.epsilon, self.noise, self.rng = setting, epsilon, noise, rng
        self.K, self.scale = setting.arms, 4 / epsilon
        self.batch = np.zeros((setting.kinds, setting.arms, 2))  # sums, numbers
        self.released = np.zeros_like(self.batch)
        self.n, self.length = 0, 4

    def act(self, kind, allowed=None):
        arms = np.arange(self.K) if allowed is None else np.asarray(allowed)
        if self.length == 4:  # nothing is released yet
            return int(self.rng.choice(arms))
        return int(arms[np.argmax(self.index()[kind, arms])])

    def update(self, arm, reward, kind):
        self.batch[kind, arm] += reward, 1
        self.n += 1
        if self.n == self.length:
            self.released += self.noise.laplace(self.batch, self.scale, sensitivity=4)
            self.batch, self.n, self.length = np.zeros_like(self.batch), 0, 2 * self.length

    def index(self):
        """The means, larger by what noise may hide."""
        hidden = max(2 * self.scale, 1)
        return (self.released[..., 0] + hidden) / np.maximum(self.released[..., 1], hidden)

    def estimates(self):
        return {"mean": self.released[..., 0] / np.maximum(self.released[..., 1], 1)}


@algorithm(
    "kinds",
    setting=Setting,
    source="this package",
    claim="assumed: one release per record, above",
    notion=PURE_JOINT,
    learner=Doubling,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    regret = np.empty((len(streams), len(checkpoints)))
    for i in range(len(streams)):
        rng = streams.generator(i)
        learner, lost = Doubling(setting.sizes, epsilon, SimulatedNoise(rng), rng), []
        for _, (kind, means, reward) in zip(range(horizon), Town.play(setting, rng), strict=False):
            arm = learner.act(kind)
            learner.update(arm, reward(arm), kind)
            lost.append(means.max() - means[arm])
        regret[i] = np.cumsum(lost)[np.asarray(checkpoints) - 1]
    return Trajectories(regret)
