"""Learners: an algorithm of this library, or one's own, on one's own rewards.

    learner = dpbandits.learner("na-imed", arms=5, epsilon=1.0, delay=200, store="bandit.db")
    arm = learner.act(person="anna")
    learner.update(reward, ticket=arm.ticket)

The object that acts is the class in the algorithm's own file, with exact noise behind its port.
What a service needs beyond that is here, once for all of them: rewards that are late or lost, arms
that cannot be played, ranges of rewards, persons with several rewards, and that whatever stops a
process shows no second release of the same rewards (core/store.py). Wrong input raises InputError
and leaves the state as it was.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, SupportsFloat

import numpy as np

from dpbandits.core.errors import InputError, StoreError, UsedUp
from dpbandits.core.models import Count, Epsilon, Model, Range, Whole, state_of, whole
from dpbandits.core.port import ExactNoise
from dpbandits.core.promise import Privacy
from dpbandits.core.rows import Memory, Round
from dpbandits.core.store import Store


class Arm(int):
    """An action: a whole number, with the ticket for its reward."""

    ticket: str


class Learner:
    """An algorithm in use; `dpbandits.learner` makes one, or opens it from its store. Threads may
    use it at once, and processes their own objects on one store."""

    def __init__(self, algorithm, about: dict[str, Any], privacy: Privacy):
        self.algorithm = algorithm  # of the class in the algorithm's file
        if unset := [name for name in state_of(algorithm) if not hasattr(algorithm, name)]:
            raise InputError(f"learner: start sets no {unset[0]}, which state declares")
        self.privacy = privacy
        self.rounds = 0  # actions so far
        self.late = 0  # rewards that came after their round had been counted, or twice
        self.plays = [0] * algorithm.K
        self.delay: int = about["delay"]
        self._about = about  # the arguments of `learner`, but the seed
        self._range, self._clip = about["reward_range"] or (), about["rewards"] == "clip"
        exact = isinstance(algorithm.noise, ExactNoise)
        self._grid = algorithm.grid if exact else None
        self._exact, self._names = exact, state_of(algorithm)
        self.rows: Memory | Store = Memory()

    def keep(self, store, name: str, shared: bool) -> None:
        """In this file, and from now on as it is there (`dpbandits.learner` calls it)."""
        if not isinstance(name, str) or not isinstance(shared, bool):
            raise InputError("learner: allowed: a text as name, and True or False as shared")
        own, shares = self.privacy, None
        if shared:
            shares = [own.notion, repr(own.epsilon), own.delta, self._about["contributions"]]
        budget = "" if shared else f"of {name}"
        self.rows = Store(store, name, budget, state_of(self.algorithm, "logs"))
        self.rows.start(self._about | {"shares": shares}, self.state())
        with self._call("learner", write=False):
            pass

    def __repr__(self) -> str:
        about = self._about | {"arms": self.algorithm.K}
        about = {k: v for k, v in about.items() if DEFAULTS.get(k, self) != v and k != "name"}
        keys = ", ".join(f"{key}={value!r}" for key, value in about.items())
        return f"<learner {self.name}: {keys}; {self.rounds} rounds played>"

    @property
    def name(self) -> str:
        return self._about["name"]

    def act(self, context=None, *, person: str | int | None = None,
            allowed: Iterable[int] | None = None) -> Arm:  # fmt: skip
        """The action to play now, whose `ticket` its reward needs; `context` for sparse algorithms
        (K x d) and USCA (a point).

        person: who gets it, of whom there are at most `contributions` rounds; one more raises
        UsedUp. allowed: the arms that can be played in this round; which they are must not depend
        on rewards. With a delay the reward that is due is counted after the action has been chosen.
        """
        with self._call("act"):
            algorithm, rows = self.algorithm, self.rows
            if algorithm.over:
                raise InputError(f"act: {algorithm.over}")
            if not self.delay and rows.of_round(self.rounds):
                missing = f"the reward of round {self.rounds} is missing: update first"
                raise InputError(f"act: {missing}, or allowed: delay=, within which it may come")
            plain = context is None and not algorithm.takes_context
            x = () if plain else self._read_context(context)
            options = {} if allowed is None else {"allowed": self._read_allowed(allowed)}
            person = self._admitted(person)
            rows.touched = True
            action = Arm(algorithm.act(*x, **options))
            action.ticket = secrets.token_urlsafe(16)
            self.rounds += 1
            self.plays[action] += 1
            if person is not None:
                rows.visit(person)
            if not algorithm.over:
                rows.add(Round(self.rounds, action.ticket, int(action), *x))
            if self.delay and (due := rows.of_round(self.rounds - self.delay)):
                rows.remove(due)
                self._count(due, algorithm.missing if due.reward is None else due.reward)
        return action

    def update(self, reward: SupportsFloat | Sequence[float], ticket: str | None = None) -> bool:
        """The reward of the action with this ticket, which only learners without a delay may leave
        out: one round waits there. Whether it was taken: the first one of a ticket is, within the
        delay; others are ignored, and counted in `late`."""
        with self._call("update"):
            rows = self.rows
            if ticket is None:
                if self.delay:
                    raise InputError("update: ticket is missing; allowed: that of the action")
                if (played := rows.of_round(self.rounds)) is None:
                    raise InputError("update: no round waits for a reward; allowed: after an act")
            elif isinstance(ticket, str):
                played = rows.of_ticket(ticket)
            else:
                raise InputError("update: ticket: allowed: that of an action, arm.ticket")
            X = self._read_reward(reward)
            if taken := played is not None and played.reward is None:
                if self.delay:
                    rows.reward(played, X)
                else:
                    rows.touched = True
                    rows.remove(played)
                    self._count(played, X)
            else:
                rows.touched = True
                self.late += 1
        return taken

    def estimates(self) -> dict[str, list]:
        """What has been released, which may be shown to anybody: for each arm the mean with noise,
        the standard deviation of this noise (None before the first release) and the plays; of
        sparse algorithms the coefficients."""
        with self._call("estimates", write=False):
            algorithm, plays = self.algorithm, list(self.plays)
            found = {name: np.asarray(x).tolist() for name, x in algorithm.estimates().items()}
            without = () if algorithm.takes_context else list(algorithm.unreleased())
        if algorithm.takes_context:
            return found
        low, high = self._range or (0.0, 1.0)
        for name, start in (("mean", low), ("noise", 0.0)):
            scaled = [start + (high - low) * x for x in found.get(name, ())]
            found[name] = [None if j in without else x for j, x in enumerate(scaled)]
        return {"plays": plays} | {name: x for name, x in found.items() if x}

    def add_arm(self) -> int:
        """One more arm, and its number; when this happens must not depend on rewards."""
        with self._call("add_arm"):
            if not self.algorithm.grows:
                raise InputError(f"add_arm: {self.name} needs all arms from the start; give arms=")
            self.rows.touched = True
            self._grow()
            return self.algorithm.K - 1

    def _grow(self) -> None:
        self.algorithm.add_arm()
        self.plays.append(0)

    @contextmanager
    def _call(self, what: str, write: bool = True) -> Iterator[None]:
        """One call at a time, all of it or nothing. What cuts one off in its middle (Ctrl-C, a time
        limit, an error in code of one's own) leaves a store as it was before, and a learner in
        memory of no use: the same rewards might be released twice."""
        rows = self.rows
        with rows.lock:
            if rows.within:
                cut = "an earlier call was cut off in its middle, or this one comes from within one"
                raise InputError(f"{what}: {cut}; make or open the learner anew")
            try:
                rows.within = rows.touched = True
                if not rows.begin(write):
                    self._read()
                rows.touched = False
                yield
                rows.commit(self.state)
                rows.within = False
            except BaseException as error:
                rows.within = not rows.undo() and not isinstance(error, InputError)
                raise

    def _admitted(self, person) -> str | None:
        most = self._about["contributions"]
        if person is None:
            if most > 1 and isinstance(self.rows, Store):
                raise InputError("act: person is missing; allowed: who is in contributions= rounds")
            return None
        if not isinstance(person, str | int) or isinstance(person, bool):
            raise InputError("act: person: allowed: a text or a whole number")
        if self.rows.visits(str(person)) >= most:
            raise UsedUp(f"act: this person has been in {most} rounds, as many as contributions=")
        return str(person)

    def _read_context(self, context) -> tuple:
        algorithm = self.algorithm
        if not algorithm.takes_context:
            raise InputError(f"act: {self.name} takes no context")
        if context is None:
            raise InputError(f"act: the context is missing; allowed: {algorithm.context_form}")
        try:
            return (algorithm.read_context(context),)
        except InputError:
            raise
        except Exception:  # of an object of the user, with a text that may have its value
            raise InputError(f"act: the context: allowed: {algorithm.context_form}") from None

    def _read_allowed(self, allowed) -> list[int]:
        try:
            arms = sorted({whole(arm) for arm in allowed})
        except (TypeError, ValueError):
            arms = []
        if not arms or not 0 <= arms[0] <= arms[-1] < self.algorithm.K:
            which = f"some of the whole numbers from 0 to {self.algorithm.K - 1}"
            raise InputError(f"act: arms in allowed=: allowed: {which}")
        return arms

    def _read_reward(self, reward):
        X = self.algorithm.read_reward(reward, self._clip, *self._range)
        if self._range:
            low, high = self._range
            X = (X - low) / (high - low)
        return np.rint(X / self._grid) * self._grid if self._grid else X

    def _count(self, played: Round, X) -> None:
        context = () if played.context is None else (played.context,)
        self.algorithm.update(played.arm, X, *context)

    def state(self) -> dict[str, Any]:
        """What is kept, besides the rounds that wait and the persons: not private."""
        algorithm = self.algorithm
        state = {name: getattr(algorithm, name) for name in self._names}
        own = {"rounds": self.rounds, "late": self.late, "plays": self.plays, "arms": algorithm.K}
        if self._exact:
            return state | {"@": own}
        return state | {"@": own, "@random": algorithm.rng.bit_generator.state}

    def _read(self) -> None:
        """What others have changed in the store."""
        algorithm, state = self.algorithm, self.rows.read()
        if self.rows.known is None and not {*self._names, "@"} <= state.keys():
            raise StoreError("learner: its state is not all there")
        try:
            if own := state.pop("@", None):
                while own["arms"] > algorithm.K:
                    self._grow()
                self.rounds, self.late, self.plays = own["rounds"], own["late"], own["plays"]
            if random := state.pop("@random", None):
                algorithm.rng.bit_generator.state = random
            for name, value in state.items():
                setattr(algorithm, name, value)
        except (KeyError, TypeError, ValueError) as error:
            raise StoreError(f"not the state of this learner: {type(error).__name__}") from None


class Service(Model):
    """What `learner` takes besides the keys of the algorithm."""

    epsilon: Epsilon | None = None
    delay: Whole = 0
    reward_range: Range | None = None
    rewards: Literal["refuse", "clip"] = "refuse"
    contributions: Count = 1
    noise: Literal["exact", "simulated"] = "exact"
    seed: Whole | None = None
    allow_not_private: bool = False


DEFAULTS = Service().model_dump(exclude={"epsilon", "noise", "seed"})
