"""What a learner is asked, checked: persons, contexts, arms that can be played, rewards."""

from enum import Enum
from typing import Any, Literal

import numpy as np

from dpbandits.core.errors import InputError, UsedUp, Watch
from dpbandits.core.memory import Memory
from dpbandits.core.models import Count, Epsilon, Model, Range, Whole, whole


class Once(Enum):
    """The person of whom nothing is counted, since everybody comes once."""

    ONCE = "once"


ONCE = Once.ONCE


class Service(Model):
    """What `learner` takes besides the keys of the algorithm."""

    epsilon: Epsilon | None = None
    delay: Whole = 0
    reward_range: Range | None = None
    rewards: Literal["refuse", "clip", "binary"] = "refuse"
    contributions: Count = 1
    allowed_by: Literal["actions", "public"] = "actions"
    noise: Literal["exact", "simulated"] = "exact"
    seed: Whole | None = None
    allow_not_private: bool = False


DEFAULTS = Service().model_dump(exclude={"epsilon", "noise", "seed"})


def is_text(value: Any) -> bool:
    """Whether it is one that a file can have, and not empty."""
    try:
        return isinstance(value, str) and bool(value.encode())
    except UnicodeError:
        return False


class Requests:
    """Of one learner; `about` are its arguments, `grid` that of its rewards. Contexts are those of
    `reader`: of the algorithm, or of the one in whose place it plays."""

    def __init__(self, algorithm, about: dict[str, Any], grid: float | None, reader=None):
        self.algorithm, self.about, self.grid = algorithm, about, grid
        self.reader = reader or algorithm
        self.name = about["algorithm"]
        self.range, self.clip = about["reward_range"] or (), about["rewards"] == "clip"
        self.binary = about["rewards"] == "binary"
        text = "most contexts are cut short, so that differences between them are hardly seen"
        use = "scale features by public ranges (dpbandits.scale)"
        self.short = Watch(f"{self.name}: {text}: {use}")

    def person(self, person, store) -> str | None:
        most = self.about["contributions"]
        if person is ONCE:
            return None
        if person is None:
            if not isinstance(store, Memory):
                who = "a text or a number, or dpbandits.ONCE where everybody comes once"
                raise InputError(f"act: person is missing; allowed: {who}")
            return None
        try:
            who = person if is_text(person) else str(whole(person))
        except Exception:  # of an object of the user, with a text that may have a value
            raise InputError("act: person: allowed: a text or a whole number") from None
        if store.visits(who) >= most:
            raise UsedUp(f"act: the rounds of this person are used up (contributions={most})")
        return who

    def context_and_arms(self, what: str, context, allowed) -> tuple[tuple, dict[str, list[int]]]:
        """(the context, the arms that can be played) of a call, as the algorithm takes them."""
        plain = context is None and not self.reader.takes_context
        x = () if plain else self.context(what, context)
        if allowed is not None:
            allowed = self.arms(what, allowed)
        if (live := self.algorithm.live) is not None:
            allowed = live if allowed is None else [j for j in allowed if j in live]
            if not allowed:
                raise InputError(f"{what}: allowed: arms that are not retired")
        return x, {} if allowed is None else {"allowed": allowed}

    def context(self, what: str, context) -> tuple:
        """() if the algorithm ignores it."""
        algorithm = self.reader
        if not algorithm.takes_context:
            raise InputError(f"{what}: {self.name} takes no context")
        if context is None:
            raise InputError(f"{what}: the context is missing; allowed: {algorithm.context_form}")
        try:
            x = algorithm.read_context(context)
        except InputError:
            raise
        except Exception:  # of an object of the user, with a text that may have its value
            raise InputError(f"{what}: the context: allowed: {algorithm.context_form}") from None
        if self.short.left and algorithm.shortens:
            self.short.look(algorithm.shortens(x), 5)
        return (x,) if self.algorithm.takes_context else ()

    def arms(self, what: str, allowed) -> list[int]:
        """Checked; with contexts an action shows its own person's, and so does what is sold out."""
        algorithm = self.algorithm
        if not algorithm.takes_allowed:
            raise InputError(f"{what}: {self.name} takes no allowed=: its output is one of all")
        if algorithm.takes_context and self.about["allowed_by"] != "public":
            raise InputError(
                f"{what}: which arms can be played may depend on nothing private here, not on "
                'actions either (what is sold out shows contexts): say allowed_by="public" if so'
            )
        try:
            arms = sorted({whole(arm) for arm in allowed})
        except Exception:  # of an object of the user, with a text that may have a value
            arms = []
        if not arms or not 0 <= arms[0] <= arms[-1] < algorithm.K:
            which = f"some of the whole numbers from 0 to {algorithm.K - 1}"
            raise InputError(f"{what}: arms: allowed: {which}")
        return arms

    def reward(self, reward):
        X = self.algorithm.read_reward(reward, self.clip, *self.range)
        if self.range:
            low, high = self.range
            X = (X - low) / (high - low)
        if self.binary and not np.isin(X, (0.0, 1.0)).all():
            raise InputError('reward: allowed: the lowest or the highest (rewards="binary")')
        if not self.grid:
            return X
        rint = round if type(X) is float else np.rint  # the same number, the first faster
        return rint(X / self.grid) * self.grid
