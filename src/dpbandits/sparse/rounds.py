"""How the sparse algorithms FLIPHAT and dp-signs are written, and how they are simulated.

`act(x)` receives the K contexts of a round (K x d) and returns the arm to play, `update(r)`
receives its reward. `theta` is the current estimate, `episode` its number. All private quantities
leave through `self.noise` (dpbandits.core.port), other random numbers come from `self.rng`. The
same object is simulated here, deployed (dpbandits.core.learner) and audited.
"""

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.errors import InputError
from dpbandits.core.models import Model, as_array, as_reward, parse
from dpbandits.sparse.problem import SparseSetting, contexts, reward_noise
from dpbandits.sparse.recorder import Recorder

Positive = Annotated[float, Field(gt=0)]
MOST_ROWS = 2**18  # of an episode: up to here rounding errors are below the margin of exact noise


class SparseProblem(Model):
    """What a learner must know: all public constants, whose choice may not look at the data."""

    arms: Annotated[int, Field(ge=2)]
    d: Annotated[int, Field(ge=2, le=MOST_ROWS)]
    sparsity: Annotated[int, Field(ge=1)]
    delta: Annotated[float, Field(gt=0, lt=1)]


class Sparse:
    """K arms with contexts in R^d."""

    takes_context = True
    late = "an estimate needs all rewards of the episode before it, in order"
    neighbours = "one user's record (contexts and reward) changes; others' actions hardly reveal it"
    grid = None  # of exact noise: chosen for each release by its sensitivity
    problem = SparseProblem

    def __init__(self, setting, epsilon, noise, rng):
        self.setting, self.epsilon, self.noise, self.rng = setting, epsilon, noise, rng
        self.theta, self.X, self.y = np.zeros(setting.d), [], []
        self.start()

    @classmethod
    def from_user(cls, setting, **options):
        """(arguments of the constructor, setting) from a user's keywords."""
        checked = parse(cls.problem, options, "learner")
        if checked.sparsity > checked.d:
            raise InputError(f"learner: sparsity = {checked.sparsity}: allowed: 1 to {checked.d}")
        return {"setting": checked}, checked

    @property
    def context_form(self) -> str:
        return f"{self.setting.arms} x {self.setting.d} numbers, a row for each arm"

    @property
    def over(self) -> str:
        return f"an episode has at most {MOST_ROWS} rounds" if len(self.y) >= MOST_ROWS else ""

    def waits(self) -> bool:
        return True

    def read_context(self, context):
        """A row for each arm."""
        return as_array(context, "contexts", (self.setting.arms, self.setting.d))

    def read_reward(self, reward, clip):
        """Rewards need no bound here: the algorithm clips them, or reads signs only."""
        return as_reward(reward, -math.inf, math.inf, clip=False)


def play_rounds(learner_of, setting: SparseSetting, horizon, streams, checkpoints):
    """The `Trajectories` of one run per stream; `learner_of(run, rng)` starts the learner."""
    recorder = Recorder(setting.signal, len(streams), checkpoints)
    for run in range(len(streams)):
        rng = streams.child("contexts").generator(run)
        learner = learner_of(run, rng)
        theta, regret = learner.theta, []
        recorder.next_run()
        for _ in range(horizon):
            x = contexts(setting, rng, 1)[0]  # K x d
            means = x @ setting.signal
            a = learner.act(x)
            if learner.theta is not theta:  # a new episode
                recorder.add(theta, np.array(regret))
                theta, regret = learner.theta, []
            learner.update(means[a] + reward_noise(setting, rng, 1)[0])
            regret.append(means.max() - means[a])
        recorder.add(theta, np.array(regret))
    return recorder.trajectories()
