"""How the bandit algorithms of this folder are written, and how they are simulated.

A class with three methods. `start()` sets the state, `act()` returns the arm J to play next, and
`update(X)` receives its reward (with full information: the rewards of all arms). So an algorithm
sees nothing of the bandit but rewards, and needs to know the horizon T only if the paper says so.
All private quantities leave through `self.noise` (dpbandits.core.port), other random numbers come
from `self.rng`. The same object is simulated here, deployed (dpbandits.core.learner) and audited.
"""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.errors import refuse_unknown
from dpbandits.core.models import as_array, as_reward, as_whole_number, parse
from dpbandits.core.port import REWARD_GRID, SimulatedNoise
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.problem import StochasticSetting


class Bandit:
    """K arms; `options` are the keys of the setting besides the means, e.g. alpha."""

    full_information = False
    late = "its next decision needs all rewards so far"  # why rewards may not come late
    over = ""  # why no further arm is played
    neighbours = "one reward changes, within [0, 1] (full information: one round's rewards)"
    grid = REWARD_GRID  # of rewards, and so of all private quantities, if noise is exact
    takes_context = False

    def __init__(self, K, epsilon, noise, rng, T=None, **options):
        self.K, self.epsilon, self.noise, self.rng, self.T = K, epsilon, noise, rng, T
        for name, value in options.items():
            setattr(self, name, value)
        self.t = 0  # the number of the round
        self.start()

    @classmethod
    def from_user(cls, setting, arms=None, horizon=None, **options):
        """(arguments of the constructor, setting) from a user's keywords."""
        keys = [key for key in setting.model_fields if key != "means"]
        refuse_unknown(options, ["arms", "horizon", *keys], "learner")
        arms = as_whole_number(arms, "arms", least=2)
        if horizon is not None:
            horizon = as_whole_number(horizon, "horizon", least=1)
        checked = parse(setting, {"means": [0.5] * arms, **options}, "learner")
        options = checked.model_dump(exclude={"means"})
        return {"K": arms, "T": horizon, **options}, checked

    def waits(self) -> bool:
        """If the next decision needs all rewards so far."""
        return True

    def read_reward(self, reward, clip):
        """A reward from outside, checked; or the rewards of all arms."""
        if not self.full_information:
            return as_reward(reward, 0.0, 1.0, clip)
        return np.array(
            [as_reward(x, 0.0, 1.0, clip) for x in as_array(reward, "reward", (self.K,))]
        )


def bandit(name, *, setting=StochasticSetting, **about):
    """Register a class as an algorithm (see core.algorithms): as a simulation and as a learner."""

    def register(cls):
        def simulate(setting, epsilon, horizon, streams, checkpoints):
            return play_rounds(cls, setting, epsilon, horizon, streams, checkpoints)

        simulate.__module__, simulate.__wrapped__ = cls.__module__, cls  # where to look for it
        algorithm(name, setting=setting, learner=cls, **about)(simulate)
        return cls

    return register


def play_rounds(cls, setting, epsilon, horizon, streams, checkpoints):
    """The `Trajectories` of one run per stream, round by round."""
    means, gaps = np.array(setting.means), setting.gaps
    options = setting.model_dump(exclude={"means"})
    size = len(means) if cls.full_information else None
    regret = np.empty((len(streams), len(checkpoints)))
    pulls = np.empty((len(streams), len(means)), np.int64)
    for run in range(len(streams)):
        rng = streams.generator(run)

        def reward(J, rng=rng):
            return rng.random(size) < (means if size else means[J])

        learner = cls(len(means), epsilon, SimulatedNoise(rng), rng, horizon, **options)
        played = decisions(learner, reward, horizon)
        regret[run] = np.cumsum(gaps[played])[np.asarray(checkpoints) - 1]
        pulls[run] = np.bincount(played, minlength=len(means))
    return Trajectories(regret, extras={"pulls": pulls})


def decisions(learner, reward, horizon) -> np.ndarray:
    """The arms played in rounds 1 to `horizon`; the learner receives `reward(J)` for arm J."""
    played = np.empty(horizon, np.int64)
    for t in range(horizon):
        played[t] = learner.act()
        learner.update(reward(played[t]))
    return played
