"""How the sparse algorithms FLIPHAT and dp-signs are written, and how they are simulated.

`act(x)` receives the K contexts of a round (K x d) and returns the arm to play, `update(a, r, x)`
a reward, with the arm and the contexts of its round. `theta` is the current estimate, `episode` its
number. Each row enters one release, which happens in `update`; `act` uses nothing but `theta` and
the round's own contexts. All private quantities leave through `self.noise` (dpbandits.core.port),
other random numbers come from `self.rng`. The same object is simulated here, deployed
(dpbandits.core.learner) and audited.
"""

import math
from typing import Annotated

import numpy as np
from pydantic import BaseModel, Field

from dpbandits.core.errors import InputError
from dpbandits.core.models import Model, as_array, as_reward
from dpbandits.core.problem import Problem, Records
from dpbandits.sparse.problem import DELTA, Contexts, SparseSetting, contexts, reward_noise
from dpbandits.sparse.recorder import Recorder

Positive = Annotated[float, Field(gt=0)]
LEAST_EPSILON = 1e-6  # of one round; of exact noise, too
MOST_ROWS = 2**18  # of an episode: up to here rounding errors are below the margin of exact noise


class SparseConstants(Model):
    """What a learner must know: all public constants, whose choice may not look at the data."""

    arms: Annotated[int, Field(ge=2)]
    d: Annotated[int, Field(ge=2, le=MOST_ROWS)]
    sparsity: Annotated[int, Field(ge=1)]
    delta: Annotated[float, Field(gt=0, lt=1)]


class Sparse(Problem):
    """K arms with contexts in R^d."""

    state: tuple[str, ...] = ("theta", "episode", "X", "y")
    logs = ("X", "y")  # those that grow at their end, or are begun anew
    takes_context, takes_range = True, False
    environment = Contexts
    neighbours = "contexts and reward of {rounds} change; actions of other rounds are protected"
    model: type[BaseModel] = SparseConstants

    def __init__(self, setting, epsilon, noise, rng):
        self.setting, self.epsilon, self.noise, self.rng = setting, epsilon, noise, rng
        self.theta, self.episode, self.X, self.y = np.zeros(setting.d), 0, [], []
        self.start()

    def start(self):
        """Set the state that a subclass adds."""

    def act(self, x, allowed=None):
        """A random arm in episode 0, then the one of the largest index."""
        arms = np.arange(self.K) if allowed is None else np.asarray(allowed)
        if self.episode == 0:
            return int(arms[self.rng.integers(len(arms))])
        return int(arms[np.argmax(self.index(x)[arms])])

    suggest = act  # which changes no state

    def chance(self, a, allowed):
        """Of the arm just played: a random one in episode 0."""
        return 1 / (self.K if allowed is None else len(allowed)) if self.episode == 0 else 1.0

    def index(self, x):
        """The mean rewards of all arms by the current estimate."""
        return x @ self.theta

    @classmethod
    def from_user(cls, setting, **options):
        """(arguments of the constructor, setting) from a user's keywords."""
        arguments, checked = super().from_user(setting, **options)
        if checked.sparsity > checked.d:
            raise InputError(f"learner: sparsity = {checked.sparsity}: allowed: 1 to {checked.d}")
        return arguments, checked

    @property
    def K(self) -> int:
        return self.setting.arms

    def estimates(self):
        return {"theta": self.theta}

    @property
    def context_form(self) -> str:
        return f"{self.setting.arms} x {self.setting.d} numbers, a row for each arm"

    @property
    def over(self) -> str:
        return f"an episode has at most {MOST_ROWS} rounds" if len(self.y) >= MOST_ROWS else ""

    @classmethod
    def records(cls, setting):
        """A row for each arm, and a reward of any size."""
        shape = cls.context_shape(setting)
        size = math.prod(shape) + 1
        return Records(
            width=size, decode=lambda x: ((4 * x[1:].reshape(shape)).tolist(), float(10 * x[0]))
        )

    @classmethod
    def told(cls, sizes):
        """All numbers matter."""
        return {"arms": sizes.arms, "d": sizes.dim, "delta": DELTA, "sparsity": sizes.dim}

    @staticmethod
    def context_shape(setting) -> tuple[int, ...]:
        return setting.arms, setting.d

    @classmethod
    def for_person(cls, setting, epsilon, rounds):
        """(setting, epsilon) of a promise to persons with rewards in so many rounds: what
        costs rho for one round costs rounds^2 rho for them."""
        largest_rho = cls.conversion.largest_rho
        rho = largest_rho(epsilon, setting.delta) / rounds**2
        if largest_rho(LEAST_EPSILON, setting.delta) > rho:
            least = f"fewer, which leave each an epsilon of at least {LEAST_EPSILON:g}"
            raise InputError(f"contributions = {rounds}: allowed: {least}")
        return setting, cls.conversion.epsilon_of(rho, setting.delta)

    def read_context(self, context):
        """A row for each arm."""
        return as_array(context, "contexts", self.context_shape(self.setting))

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
            learner.update(a, means[a] + reward_noise(setting, rng, 1)[0], x)
            regret.append(means.max() - means[a])
        recorder.add(theta, np.array(regret))
    return recorder.trajectories()
