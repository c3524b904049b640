"""How the bandit algorithms of this folder are written, and how they are simulated.

`start()` sets the state, whose names `state` declares; `act()` returns the arm J to play next;
`update(J, X)` receives a reward X of arm J (with full information: the rewards of all arms). Most
algorithms inherit `act`, and have `index()`: a number for each arm, from what has been released.

- An arm has one batch of rewards, and each reward enters exactly one release. It may come any
  number of rounds after its own: what comes for an arm after its phase is in its next batch.
- A release happens in `update`. What `act` and `index` do is computed from releases and from public
  counts: no data, no private noise.

So an algorithm sees nothing of the bandit but rewards, and needs to know the horizon T only if the
paper says so. All private quantities leave through `self.noise` (dpbandits.core.port), other random
numbers come from `self.rng`. The same object is simulated here, deployed (dpbandits.core.learner)
and audited.
"""

import math
from collections import namedtuple
from itertools import islice, product
from typing import ClassVar

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.errors import refuse_unknown
from dpbandits.core.models import Count, Model, Several, as_array, as_reward, parse, state_of
from dpbandits.core.port import REWARD_GRID, SimulatedNoise
from dpbandits.core.problem import Problem, Records, in_group
from dpbandits.core.trajectories import Trajectories
from dpbandits.inference.binary import Exact
from dpbandits.inference.intervals import Inference
from dpbandits.stochastic.problem import Arms, StochasticSetting

KNOWN = ("t", "K", "epsilon", "first", "tried", "among")  # what compiled methods may read


class Sizes(Model):
    """What every learner is told besides the keys of its setting."""

    arms: Several
    horizon: Count | None


class Bandit(Problem):
    """K arms; `options` are the keys of the setting besides the means, e.g. alpha."""

    # is saved; a subclass declares what it adds, and which lists of it only grow
    state: tuple[str, ...] = ("t", "new", "turn", "releases")
    logs: tuple[str, ...] = ("releases",)
    first = 1  # rounds of each turn of an arm that has no release yet
    model = StochasticSetting
    environment = Arms
    relative = False  # if `index` compares arms with the best of those in `among`
    extras: tuple[str, ...] = ()  # of its state, arrays of one number that a simulation also gives
    grid = REWARD_GRID  # of rewards, and so of all private quantities, if noise is exact
    audited: ClassVar[dict] = {"arms": 2}
    for_person = classmethod(in_group)

    def __init__(self, K, epsilon, noise, rng, T=None, **options):
        self.K, self.epsilon, self.noise, self.rng, self.T = K, epsilon, noise, rng, T
        for name, value in options.items():
            setattr(self, name, value)
        if self.full_information:
            self.missing = np.zeros(K)
        self.t = 0  # the number of the round
        self.among = np.arange(K)  # the arms that can be played, if the class is `relative`
        self.tried = K  # so many arms are played at first, the first ones
        self.new, self.turn = list(range(K)), 0  # arms without a release are played in turn
        self.curves: dict = {}  # what has been computed of releases; is made again of them
        self.releases: list[list] = []  # [arm, sum, rewards in it], if `releases_sums`
        self.start()

    def start(self):
        """Set the state."""

    def act(self, allowed=None):
        """The arm to play; `allowed`: those that can be played in this round, ascending."""
        self.t += 1
        new = self.new and [j for j in self.new if allowed is None or j in allowed]
        if new:
            J, self.turn = new[0], self.turn + 1
            if self.turn >= self.first:
                self.turn = 0
                self.new.remove(J)
                self.new.append(J)
            return J
        return self.choose(allowed)

    def choose(self, allowed=None):
        if self.relative:
            self.among = np.arange(self.K) if allowed is None else np.asarray(allowed)
        return self.best(self.index(), allowed)

    def best(self, index, allowed=None):
        """The arm of the largest index, the first of equals."""
        index = np.asarray(index)
        return int(index.argmax()) if allowed is None else allowed[int(index[allowed].argmax())]

    def suggest(self, allowed=None):
        """The arm of the best released mean; where none is released, of the largest index."""
        arms, means = range(self.K) if allowed is None else allowed, self.means()
        if not means:
            return self.best(self.index(), allowed)
        known = [j for j in arms if j not in self.unreleased()]
        return max(known or arms, key=lambda j: means[0][j])

    def retire(self, j):
        """Arm j is not played any more; `live` and `allowed` are without it."""

    def index(self):
        """What arms are compared by, a number for each, from what has been released."""
        return np.zeros(self.K)

    def released(self, J: int, total: float = 0.0, n: int = 0) -> None:
        """Say that arm J has a release: it is no longer played in turn. total, n: the noisy sum and
        the rewards in it, if it is one (see `releases_sums`)."""
        if J in self.new:
            self.new.remove(J)
        if n:
            self.releases.append([J, float(total), int(n)])

    def inference(self, added: int, binary: bool = False) -> Inference:
        """What the releases say about the means; `added` arms came later. binary: all rewards are
        0 or 1."""
        each = [([], []) for _ in range(self.K)]
        for arm, total, n in self.releases:
            each[arm][0].append(total)
            each[arm][1].append(n)
        S, N, m = np.array([[sum(x), sum(n), len(n)] for x, n in each], float).T
        numbers = S, N, m, self.epsilon, 1 + added if self.grows else 0
        if binary and math.isfinite(self.epsilon):
            return Exact(*numbers, tuple(each), self.curves)
        return Inference(*numbers)

    def unreleased(self):
        """The arms of which nothing has been released."""
        return self.new

    def means(self):
        """(released mean, standard deviation of its noise) for each arm; () if none are."""
        return ()

    def estimates(self):
        return dict(zip(("mean", "noise"), self.means(), strict=False))

    def add_arm(self):
        """Arm K, without rewards. The others stay as they are."""
        before = {name: getattr(self, name) for name in state_of(self)}
        self.K += 1
        self.new = [self.K - 1]
        self.start()
        new = [*before["new"], *self.new]
        for name, value in before.items():
            if isinstance(value, np.ndarray | list):
                getattr(self, name)[: len(value)] = value
            else:
                setattr(self, name, value)
        self.new = new

    @classmethod
    def from_user(cls, setting, arms=None, horizon=None, **options):
        """(arguments of the constructor, setting) from a user's keywords."""
        keys = [key for key in setting.model_fields if key != "means"]
        refuse_unknown(options, ["arms", "horizon", *keys], "learner")
        sizes = parse(Sizes, {"arms": arms, "horizon": horizon}, "learner")
        checked = parse(setting, {"means": [0.5] * sizes.arms, **options}, "learner")
        options = checked.model_dump(exclude={"means"})
        return {"K": sizes.arms, "T": sizes.horizon, **options}, checked

    @classmethod
    def records(cls, setting):
        """0 and 1; with full information the rewards of all arms."""
        if not cls.full_information:
            return Records(values=(0, 1))
        return Records(tuple(islice(map(list, product((0, 1), repeat=len(setting.means))), 2**10)))

    def read_reward(self, reward, clip, low=0.0, high=1.0):
        """A reward from outside, checked; or the rewards of all arms."""
        if not self.full_information:
            return as_reward(reward, low, high, clip)
        rewards = as_array(reward, "reward", (self.K,))
        return np.array([as_reward(x, low, high, clip) for x in rewards.tolist()])


class Phases(Bandit):
    """An arm is played until its batch is full and released; decisions are taken between phases.
    `size(i)` is the length of a batch, `release(i, total, B)` receives its noisy sum, and B. Where
    the arm of a phase cannot be played, the arms that can have a phase of their own (`apart`).

    Simulations compile `index`, `size` and `release` (engine/phases.py): they read `self.NAME` of
    the fields of `View` alone, write arrays in place, and call functions, not methods.
    """

    releases_sums = True
    state = ("i", "apart", "rewards", "total", "length")
    every_round = False  # the arm is chosen anew in every round; who leads at two rounds of a
    # stretch without releases leads between them
    View: type  # KNOWN, the options, the state of the class

    def start(self):
        self.i, self.apart = None, {}
        self.rewards, self.total = np.zeros(self.K, int), np.zeros(self.K)
        self.length = np.zeros(self.K, int)  # of the batch that is being filled

    def choose(self, allowed=None):
        if self.i is None:
            self.i = super().choose(self.live)
        if allowed is None or self.i in allowed:
            return self.i
        if self.apart.get("allowed") != allowed:
            self.apart = {"allowed": allowed, "i": super().choose(allowed)}
        return self.apart["i"]

    def retire(self, j):
        self.i, self.apart = None, {}

    def update(self, J, X):
        if self.rewards[J] == 0:
            self.length[J] = self.size(J)
        self.rewards[J] += 1
        self.total[J] += X
        if self.rewards[J] >= self.length[J]:
            total = self.noise.laplace(self.total[J], 1 / self.epsilon, name="total")
            self.release(J, total, self.rewards[J])
            self.released(J, total, self.rewards[J])
            self.rewards[J], self.total[J] = 0, 0
            # chosen anew; a batch that is not full is continued when its arm leads again
            self.i, self.apart = None, {}


def bandit_algorithm(name, *, setting=StochasticSetting, **about):
    """Register a class as an algorithm (see core.algorithms): as a simulation and as a learner."""

    def register(cls):
        def simulate(setting, epsilon, horizon, streams, checkpoints):
            return play_rounds(cls, setting, epsilon, horizon, streams, checkpoints)

        def by_phases(*arguments):
            from dpbandits.stochastic.engine import phases

            return phases.simulate(cls, *arguments)

        simulate.__module__, simulate.__wrapped__ = cls.__module__, cls  # where to look for it
        fast = None
        if issubclass(cls, Phases):
            options = [key for key in setting.model_fields if key != "means"]
            classes = [c for c in cls.__mro__ if issubclass(c, Phases) and c is not Phases]
            own = list(dict.fromkeys(n for c in classes for n in vars(c).get("state", ())))
            cls.View = namedtuple("View", [*KNOWN, *options, *own])
            cls.View.__module__, cls.View.__qualname__ = cls.__module__, f"{cls.__name__}.View"
            fast = by_phases
        algorithm(name, setting=setting, learner=cls, fast=fast, **about)(simulate)
        return cls

    return register


def play_rounds(cls, setting, epsilon, horizon, streams, checkpoints):
    """The `Trajectories` of one run per stream, round by round."""
    means, gaps = np.array(setting.means), setting.gaps
    options = setting.model_dump(exclude={"means"})
    size = len(means) if cls.full_information else None
    regret = np.empty((len(streams), len(checkpoints)))
    extras = {"pulls": np.empty((len(streams), len(means)), np.int64)}
    for run in range(len(streams)):
        rng = streams.generator(run)

        def reward(J, rng=rng):
            return rng.random(size) < (means if size else means[J])

        learner = cls(len(means), epsilon, SimulatedNoise(rng), rng, horizon, **options)
        played = decisions(learner, reward, horizon)
        regret[run] = np.cumsum(gaps[played])[np.asarray(checkpoints) - 1]
        extras["pulls"][run] = np.bincount(played, minlength=len(means))
        for name in cls.extras:
            extras.setdefault(name, []).append(getattr(learner, name)[0])
    return Trajectories(regret, extras={name: np.array(x) for name, x in extras.items()})


def decisions(learner, reward, horizon) -> np.ndarray:
    """The arms played in rounds 1 to `horizon`; the learner receives `reward(J)` for arm J."""
    played = np.empty(horizon, np.int64)
    for t in range(horizon):
        played[t] = J = learner.act()
        learner.update(J, reward(J))
    return played
