"""A problem: what its algorithms read, whom they protect, what audits play, where it is simulated.

A learner is a class that derives from its problem: `dp.Bandit` (arms), `Sparse` (contexts),
`Usca`, or a problem of one's own. Simulations, the driver of a service (core/learner.py), audits
and `choose` ask nothing else of an algorithm than what is here. A policy of stored records derives
from `Stored` (offline/problem.py): the same, without what concerns rounds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel

from dpbandits.core import zcdp
from dpbandits.core.errors import InputError
from dpbandits.core.models import as_reward, parse


@dataclass(frozen=True)
class Records:
    """The records that an audit plays: all `values` that one may have, or `decode`, which makes a
    record of `width` normal variables. A record is a reward, or (context, reward)."""

    values: tuple = ()
    width: int = 0
    decode: Callable[[np.ndarray], tuple] | None = None


class Environment:
    """Random instances, on which `choose` compares all algorithms whose setting is this one."""

    setting: type[BaseModel]
    beside: str  # an algorithm without privacy that is simulated, too
    # Learners for other settings that are compared, too: how their simulation in this one is called
    also: ClassVar[dict[str, str]] = {}
    quick: tuple[str, ...] = ()  # whose faster versions compile next to nothing
    slow: tuple[str, ...] = ()  # left out of long runs: they compile for a minute
    short = 1000  # rounds up to which plain algorithms take less time than to compile faster ones
    most, most_short = 300, 100  # instances
    taken = ""  # the algorithm to use whichever has the least regret, if that is known beforehand

    def __init__(self, sizes: Any):
        self.sizes = sizes  # arms, horizon, epsilon, and what else `choose` was given

    @property
    def about(self) -> str:
        """What the instances are, in words."""
        return ""

    @property
    def rounds(self) -> int:
        """How many are simulated if the number of instances is free."""
        return self.sizes.horizon

    def horizon(self, name: str) -> int:
        """The horizon that an algorithm is told in a simulation: `rounds` or more."""
        return self.rounds

    def told(self, learner) -> dict[str, Any]:
        """The keywords with which a learner is what is simulated."""
        return learner.told(self.sizes)

    def instances(self, count: int) -> list[dict]:
        """The keys of so many settings; of the same sizes always the same."""
        raise NotImplementedError

    def play(self, setting, rng: np.random.Generator) -> Iterator[tuple]:
        """Rounds of an instance: (context or None, means of the arms, reward of an arm)."""
        raise NotImplementedError

    def random(self, instances: list[dict], regret: Callable[[str], np.ndarray]) -> np.ndarray:
        """The regret of random play; `regret(name)` simulates an algorithm."""
        raise NotImplementedError

    def notes(
        self, instances: list[dict], regret: dict, random: np.ndarray, run: Callable
    ) -> list[str]:
        """What is to be said of what was found; run(name, setting, i): the regret elsewhere."""
        return []


class Problem:
    """What a learner is asked besides `act` and `update`; a subclass changes what differs."""

    model: type[BaseModel]  # what a user tells, besides epsilon
    neighbours = "what comes as reward in {rounds} changes"
    not_covered: tuple[str, ...] = ()  # by the promise, besides what no learner covers
    environment: type[Environment] | None = None
    takes_context = False
    context_form = ""  # what `read_context` allows, in words
    takes_range = True  # rewards from 0 to 1, so that `reward_range=` brings others there
    # What follows concerns rounds
    state: tuple[str, ...] = ()  # the attributes that are kept
    logs: tuple[str, ...] = ()  # those of them that grow at their end, or are begun anew
    full_information = False  # if a reward is that of all arms
    releases_sums = False  # if all that it releases are sums of rewards, each with Lap(1/epsilon)
    grows = False  # if arms can be added
    live: list | None = None  # the arms that are left, if some are retired
    takes_allowed = True  # if `act` takes the arms that can be played
    ends = False  # if it ends by itself
    # chance(arm, allowed): of the arm just played, if that is random
    chance: Callable | None = None
    suggest: Callable | None = None  # an action that changes nothing
    retire: Callable | None = None
    shortens: Callable | None = None  # whether a context is cut so short that it says little
    missing: float | np.ndarray = 0.0  # what counts for a reward that does not come
    over = ""  # why no further action is given
    advice = ""  # what a user should know before the first round
    instead = ""  # the algorithm that plays in its place, which may ignore contexts
    grid: float | None = None  # of exact noise; None: chosen by the sensitivity of each release
    conversion = zcdp  # from rho to (epsilon, delta), of a learner with delta > 0
    adds_rho = True  # whether what two learners with delta > 0 lose adds up as rho
    audited: ClassVar[dict] = {}  # keys of an audit and of its learner; those of bases count, too

    @classmethod
    def reward_range(cls, setting) -> tuple[float, ...]:
        """(lowest, highest) reward, if they have bounds."""
        return (0.0, 1.0) if cls.takes_range else ()

    @classmethod
    def records(cls, setting) -> Records:
        """What an audit of an algorithm with this setting plays."""
        return Records(values=(0, 1))

    def read_context(self, context):
        """A context from outside, checked, as `act` and `update` take it."""
        raise NotImplementedError

    def read_reward(self, reward, clip: bool, low=0.0, high=1.0):
        """A reward from outside, checked."""
        return as_reward(reward, low, high, clip)

    @classmethod
    def from_user(cls, setting, **options):
        """(arguments of the constructor, setting) from a user's keywords."""
        checked = parse(cls.model, options, "learner")
        return {"setting": checked}, checked

    @classmethod
    def for_person(cls, setting, epsilon: float, rounds: int):
        """(setting, epsilon) with which persons in so many rounds have the promise."""
        raise InputError("contributions: allowed: 1, for this algorithm")

    def estimates(self) -> dict[str, Any]:
        """What has been released, by name."""
        return {}

    @classmethod
    def told(cls, sizes) -> dict[str, Any]:
        """The keywords with which a learner is what `choose` simulates."""
        return {"arms": sizes.arms, "horizon": sizes.horizon}

    @classmethod
    def usual_audit(cls) -> dict[str, Any]:
        """`audited` of the class and of its bases."""
        found: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            found |= vars(base).get("audited", {})
        return found


def in_group(cls, setting, epsilon: float, rounds: int):
    """`for_person` of pure privacy: persons with several rounds are a group of records."""
    return setting, epsilon / rounds
