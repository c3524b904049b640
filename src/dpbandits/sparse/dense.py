"""People with a list of d numbers each: one context for all arms, rewards 0 or 1.

The context x of a round has entries of mean 0 and variance 1; arm a gives 1 with probability
1/(1 + exp(-x'theta_a)), where x'theta_a has the standard deviation `strength` in the mean over
draws of theta. Or people are the rows of a public table, everybody once in random order, then
everybody again: an arm is a class, its reward 1 if that is the person's (of Thornton's people a sum
of money, 1 if they fetch a result for it), and numbers are scaled so that their range is from -2 to
2. Every seed has its own theta and its own people, the same for all algorithms. `share` is the
regret over that of a random arm.
"""

import math
from functools import cache, cached_property
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.models import Model, Several, canonical
from dpbandits.core.problem import Environment
from dpbandits.core.streams import Streams, key_of
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.dp_linear import LinearProblem

CLUSTERS, NEAR = 3, 0.5  # of `clusters`: centres, and the standard deviation around them
MATTER = 5  # coordinates that matter, in `sparse`
MANY = 20_000  # people whose mean is that of all
# Of what `choose` compares: delta, instances, those whose contexts say nothing, numbers of one
DELTA, INSTANCES, BLANK, NUMBERS = 1e-6, 15, 5, 10**7
FEW = 500  # people: for fewer `choose` takes na-imed
TABLES = {  # its loader in scikit-learn, numbers of a person, classes
    "cancer": ("load_breast_cancer", 30, 2),
    "digits": ("load_digits", 64, 10),
    "wine": ("load_wine", 13, 3),
    "thornton": ("", 2, 4),
}
# Thornton (American Economic Review 2008), from `causaldata` (MIT licence): 2,829 people who were
# offered nothing, up to one dollar, up to two, or more for fetching the result of an HIV test. A
# row: whether one lives farther, and is older, than the median; people by sum; who fetched it.
THORNTON = (
    ((0, 0), (176, 309, 156, 111), (57, 222, 136, 97)),
    ((1, 0), (162, 283, 192, 93), (43, 201, 151, 74)),
    ((0, 1), (135, 277, 177, 74), (57, 212, 166, 68)),
    ((1, 1), (148, 271, 173, 92), (54, 190, 149, 77)),
)


class DenseSetting(Model):
    """The instance, and what a learner is told: d, the arms and delta."""

    d: Annotated[int, Field(ge=1, le=4096)] = 5
    arms: Several = 2
    strength: Annotated[float, Field(gt=0, le=100)] = 2.0
    # normal; sparse: only five coordinates matter; clusters: three kinds of people; skewed:
    # exponential; worthless: the rewards do not depend on the context; or the table of this name
    law: Literal[
        "normal",
        "sparse",
        "clusters",
        "skewed",
        "worthless",
        "cancer",
        "digits",
        "wine",
        "thornton",
    ] = "normal"
    delta: Annotated[float, Field(gt=0, lt=1)] = DELTA

    @model_validator(mode="after")
    def _sizes_agree(self):
        _, *sizes = TABLES.get(self.law, (0, self.d, self.arms))
        if sizes != [self.d, self.arms]:
            raise ValueError(f"{self.law}: allowed: d = {sizes[0]}, arms = {sizes[1]}")
        return self

    @property
    def public(self) -> LinearProblem:
        return LinearProblem(arms=self.arms, d=self.d, delta=self.delta)


@cache
def table(law: str) -> tuple[np.ndarray, np.ndarray]:
    """(numbers, means of the arms), a row for each person."""
    if law == "thornton":
        x, people, fetched = (np.array(column, float) for column in zip(*THORNTON, strict=True))
        each = people.sum(axis=1).astype(int)
        x, means = np.repeat(x, each, axis=0), np.repeat(fetched / people, each, axis=0)
    else:
        from sklearn import datasets  # slow to import

        x, label = getattr(datasets, TABLES[law][0])(return_X_y=True)
        means = np.eye(label.max() + 1)[label]
    low, high = x.min(axis=0), x.max(axis=0)
    return 4 * (x - low) / np.where(high > low, high - low, 1) - 2, means


class Instance:
    """The people of one run; `rng`: of the learner, who may not meet others for it."""

    def __init__(self, setting: DenseSetting, seed: int, rng: np.random.Generator):
        self.setting, self.seed, self.rng = setting, seed, rng
        K, d, own = setting.arms, setting.d, Streams(key_of("dense", canonical(setting)), (seed,))
        drawn = own.generator(0)
        used = min(MATTER, d) if setting.law == "sparse" else d
        self.theta = np.zeros((K, d))
        self.theta[:, :used] = drawn.standard_normal((K, used)) * setting.strength / math.sqrt(used)
        self.centres = drawn.standard_normal((CLUSTERS, d)) * math.sqrt(1 - NEAR**2)
        self.numbers, self.kinds, self.coins = (
            own.child(name).generator(0) for name in ("numbers", "kinds", "coins")
        )
        self.waiting = np.zeros(0, int)  # rows of a table

    def people(self, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(contexts, means, rewards of all arms) of the next n; the same in whatever portions."""
        if self.setting.law in TABLES:
            x, means = self._of_table(n)
        else:
            x = self._drawn(n)
            seen = x if self.setting.law != "worthless" else np.ones_like(x)
            means = 1 / (1 + np.exp(-seen @ self.theta.T))
        return x, means, (self.coins.random(means.shape) < means).astype(float)

    def _of_table(self, n):
        x, means = table(self.setting.law)
        while len(self.waiting) < n:
            self.waiting = np.concatenate((self.waiting, self.kinds.permutation(len(x))))
        rows, self.waiting = self.waiting[:n], self.waiting[n:]
        return x[rows], means[rows]

    def _drawn(self, n):
        shape = n, self.setting.d
        if self.setting.law == "skewed":
            return self.numbers.exponential(size=shape) - 1
        x = self.numbers.standard_normal(shape)
        if self.setting.law == "clusters":
            return self.centres[self.kinds.integers(CLUSTERS, size=n)] + NEAR * x
        return x

    def many(self) -> tuple[np.ndarray, np.ndarray]:
        """(contexts, means of all arms) of many people of this kind."""
        return Instance(self.setting, self.seed, self.rng).people(MANY)[:2]

    def idle(self) -> float:
        """What a random arm loses in a round."""
        _, means = self.many()
        return (means.max(axis=1) - means.mean(axis=1)).mean()


def regrets(setting: DenseSetting, horizon, streams, checkpoints, play) -> Trajectories:
    """One run per stream; `play(instance, horizon)` gives the regret of each round."""
    checkpoints = np.asarray(checkpoints)
    regret, share = np.empty((2, len(streams), len(checkpoints)))
    for run, seed in enumerate(streams.seeds):
        instance = Instance(setting, seed, streams.generator(run))
        regret[run] = np.cumsum(play(instance, horizon))[checkpoints - 1]
        share[run] = regret[run] / (instance.idle() * checkpoints)
    return Trajectories(regret, {"share": share})


def round_by_round(learner, instance: Instance, horizon: int) -> np.ndarray:
    """The regret of each round of a learner with a context."""
    regret = np.empty(horizon)
    for t in range(horizon):
        (x,), (means,), (rewards,) = instance.people(1)
        a = learner.act(x)
        learner.update(a, float(rewards[a]), x)
        regret[t] = means.max() - means[a]
    return regret


class People(Environment):
    """People with numbers of a standard normal law, which decide what is good for them."""

    setting, beside = DenseSetting, "dense-linucb"
    also = {"dp-linear": "dense-dp-linear", "na-imed": "dense-na-imed"}
    quick = ("leaky-linear", "dp-linear", "dense-linucb")
    most = most_short = INSTANCES

    @property
    def leaky(self):
        return get_algorithm("leaky-linear").learner

    @cached_property
    def least(self) -> int:
        """Rounds from which `leaky-linear` uses contexts where it knows their number."""
        sizes, cls = self.sizes, self.leaky
        one, epsilon = LinearProblem(arms=sizes.arms, d=sizes.dim, delta=DELTA), sizes.epsilon
        if sizes.contributions > 1:
            one, epsilon = cls.for_person(one, epsilon, sizes.contributions)
        return cls(one, epsilon, None, None).least_rounds

    @property
    def taken(self):
        """na-imed where people are few; whether numbers decide for others is not known."""
        return "na-imed" if self.sizes.horizon < max(FEW, self.least) else ""

    @property
    def about(self):
        return f"{self.sizes.dim} numbers a person, normal, which decide"

    @property
    def rounds(self):
        return max(1, min(self.sizes.horizon, NUMBERS // self.sizes.dim))

    def horizon(self, name):
        return max(self.rounds, self.least) if name == "leaky-linear" else self.rounds

    def instances(self, count, law="normal"):
        return [{"d": self.sizes.dim, "arms": self.sizes.arms, "law": law}] * count

    def told(self, learner):
        told = {"arms": self.sizes.arms, "horizon": self.sizes.horizon}
        if learner is self.leaky and self.sizes.horizon < self.least:
            told.pop("horizon")
        return told | ({"d": self.sizes.dim, "delta": DELTA} if learner.takes_context else {})

    def play(self, setting, rng):
        instance = Instance(setting, int(rng.integers(2**32)), rng)
        while True:
            (x,), (means,), rewards = instance.people(1)
            yield x, means, lambda arm, rewards=rewards[0]: float(rewards[arm])

    def random(self, instances, regret):
        each = (Instance(DenseSetting(**one), i, np.random.default_rng(0))
                for i, one in enumerate(instances))  # fmt: skip
        return self.rounds * np.array([instance.idle() for instance in each])

    def notes(self, instances, regret, random, run):
        """Why na-imed is taken, and what happens if contexts say nothing."""
        sizes, said = self.sizes, []
        linear = min((n for n in ("leaky-linear", "dp-linear") if n in regret), default=None,
                     key=lambda n: regret[n].mean())  # fmt: skip
        if self.taken:
            least = max(FEW, self.least)
            said.append(f"below {least} people {self.taken} is taken, which ignores their numbers")
            if linear and regret[linear].mean() < regret.get(self.taken, random).mean():
                said[0] += f"; if you know that they decide, use {linear}"
        if sizes.horizon < self.least:
            said.append("leaky-linear is simulated without horizon=; with it na-imed plays")
        if sizes.served or not {linear, "na-imed"} <= set(regret):
            return said
        blank = self.instances(min(len(instances), BLANK), "worthless")
        without, seen = (
            np.mean([run(name, one, i) for i, one in enumerate(blank)])
            for name in ("na-imed", linear)
        )
        return [
            *said,
            f"if the numbers say nothing, the regret is {without:.4g} with na-imed and {seen:.4g} "
            f"with {linear} ({len(blank)} instances): use na-imed unless you know that they decide",
        ]
