"""People with a list of d numbers each: one context for all arms, rewards 0 or 1.

The context x of a round has entries of mean 0 and variance 1; arm a gives 1 with probability
1/(1 + exp(-x'theta_a)), where x'theta_a has the standard deviation `strength` in the mean over
draws of theta. Every seed has its own theta, the same for all algorithms. `share` is the regret
over that of a random arm.
"""

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model, Several, canonical
from dpbandits.core.streams import Streams, key_of
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.dp_linear import LinearProblem

CLUSTERS, NEAR = 3, 0.5  # of `clusters`: centres, and the standard deviation around them
MATTER = 5  # coordinates that matter, in `sparse`


class DenseSetting(Model):
    """The instance, and what a learner is told: d, the arms and delta."""

    d: Annotated[int, Field(ge=1, le=4096)] = 5
    arms: Several = 2
    strength: Annotated[float, Field(gt=0, le=100)] = 2.0
    # normal; sparse: only five coordinates matter; clusters: three kinds of people; skewed:
    # exponential; worthless: the rewards do not depend on the context
    law: Literal["normal", "sparse", "clusters", "skewed", "worthless"] = "normal"
    delta: Annotated[float, Field(gt=0, lt=1)] = 1e-6

    @property
    def public(self) -> LinearProblem:
        return LinearProblem(arms=self.arms, d=self.d, delta=self.delta)


class Instance:
    """The people of one run, who come as `rng` draws them; theta depends on the seed alone."""

    def __init__(self, setting: DenseSetting, seed: int, rng: np.random.Generator):
        self.setting, self.rng, K, d = setting, rng, setting.arms, setting.d
        rng = Streams(key_of("dense", canonical(setting)), (seed,)).generator(0)
        used = min(MATTER, d) if setting.law == "sparse" else d
        self.theta = np.zeros((K, d))
        self.theta[:, :used] = rng.standard_normal((K, used)) * setting.strength / math.sqrt(used)
        self.centres = rng.standard_normal((CLUSTERS, d)) * math.sqrt(1 - NEAR**2)

    def contexts(self, n: int) -> np.ndarray:
        shape = n, self.setting.d
        if self.setting.law == "skewed":
            return self.rng.exponential(size=shape) - 1
        x = self.rng.standard_normal(shape)
        if self.setting.law == "clusters":
            return self.centres[self.rng.integers(CLUSTERS, size=n)] + NEAR * x
        return x

    def means(self, x) -> np.ndarray:
        """Of the rewards of all arms, a row for each context."""
        seen = x if self.setting.law != "worthless" else np.ones_like(x)
        return 1 / (1 + np.exp(-seen @ self.theta.T))

    def idle(self) -> float:
        """What a random arm loses in a round."""
        means = self.means(self.contexts(20_000))
        return (means.max(axis=1) - means.mean(axis=1)).mean()

    def rewards(self, means) -> np.ndarray:
        return (self.rng.random(len(means)) < means).astype(float)


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
        x = instance.contexts(1)
        means = instance.means(x)[0]
        a = learner.act(x[0])
        learner.update(a, float(instance.rewards(means[a : a + 1])[0]), x[0])
        regret[t] = means.max() - means[a]
    return regret
