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

from collections.abc import Callable, Iterable, Sequence
from typing import Any, SupportsFloat, TypeVar

import numpy as np

from dpbandits.core import zcdp
from dpbandits.core.arm_means import ArmMeans
from dpbandits.core.errors import InputError, StoreError
from dpbandits.core.memory import Arm, Memory, Overtaken, Round
from dpbandits.core.models import state_of
from dpbandits.core.port import CommittedNoise, ExactNoise
from dpbandits.core.promise import Privacy
from dpbandits.core.requests import DEFAULTS, Once, Requests
from dpbandits.core.store import Store

Answer = TypeVar("Answer")


class Learner(ArmMeans):
    """An algorithm in use; `dpbandits.learner` makes one, or opens it from its store. Threads may
    use it at once, and processes their own objects on one store."""

    def __init__(self, algorithm, about: dict[str, Any], privacy: Privacy, reader=None):
        """reader: of contexts, the algorithm in whose place this one plays."""
        self.algorithm = algorithm  # of the class in the algorithm's file
        if unset := [name for name in state_of(algorithm) if not hasattr(algorithm, name)]:
            raise InputError(f"learner: start sets no {unset[0]}, which state declares")
        self.privacy = privacy
        self.rounds = 0  # actions so far; in a store, these numbers are those of its last call
        self.late = 0  # rewards that came after their round had been counted, or twice
        self.plays = [0] * algorithm.K
        self.retired: list[int] = []
        self.delay: int = about["delay"]
        self._about = about  # the arguments of `learner`, but the seed
        self._exact, self._names = isinstance(algorithm.noise, ExactNoise), state_of(algorithm)
        self.asks = Requests(algorithm, about, algorithm.grid if self._exact else None, reader)
        self.store: Memory | Store = Memory()

    def keep(self, path, name: str, budget: str | None) -> None:
        """In this file, and from now on as it is there (`dpbandits.learner` calls it)."""
        own, shares, counted = self.privacy, None, f"of {name}"
        if budget is not None:
            shares = [budget, own.notion, repr(own.epsilon), own.delta, own.noise]
            shares, counted = [*shares, self._about["contributions"]], f"for {budget}"
            if self.algorithm.conversion is not zcdp:  # it does not cover the noise of others
                shares.append(self.algorithm.conversion.__name__)
        self.store = Store(path, name, counted, state_of(self.algorithm, "logs"))
        if self._exact:
            self.algorithm.noise = CommittedNoise(self.algorithm.noise, self.store.once)
        self.store.start(self._about | {"budget": shares}, self.state())
        self._call("learner", lambda: None, write=False)

    def __reduce__(self):  # of copy, deepcopy and pickle
        again = "allowed: to open it again from its store="
        raise InputError(f"learner: a copy would draw other noise for the same rewards; {again}")

    def __repr__(self) -> str:
        about = self._about | {"arms": self.algorithm.K}
        about = {k: v for k, v in about.items() if DEFAULTS.get(k, self) != v and k != "algorithm"}
        keys = ", ".join(f"{key}={value!r}" for key, value in about.items())
        return f"<learner {self.name}: {keys}; {self.rounds} rounds played>"

    @property
    def name(self) -> str:
        return self._about["algorithm"]

    @property
    def over(self) -> str:
        """Why no further arm is played; "" while one is."""
        return self._call("over", lambda: self.algorithm.over, write=False)

    def act(self, context=None, *, person: str | int | Once | None = None,
            allowed: Iterable[int] | None = None) -> Arm:  # fmt: skip
        """The action to play now, whose `ticket` its reward needs; `context` for sparse algorithms
        (K x d) and USCA (a point).

        person: who gets it, of whom there are at most `contributions` rounds; one more raises
        UsedUp. dpbandits.ONCE: everybody comes once. allowed: the arms that can be played in this
        round; which they are must not depend on rewards, and with contexts on nothing that is
        private (`privacy.arms`). With a delay, the reward that is due is counted first.
        """
        return self._call("act", self._act, context, person, allowed)

    def _act(self, context, person, allowed) -> Arm:
        algorithm, store = self.algorithm, self.store
        if algorithm.over:
            raise InputError(f"act: {algorithm.over}")
        if not self.delay and store.of_round(self.rounds):
            missing = f"the reward of round {self.rounds} is missing: update first"
            raise InputError(f"act: {missing}, or allowed: delay=, within which it may come")
        x, options = self.asks.context_and_arms("act", context, allowed)
        who = self.asks.person(person, store)
        self._settle()
        action = Arm(algorithm.act(*x, **options))
        action.ticket = store.ticket(self.rounds + 1)
        if algorithm.chance:
            action.chance = algorithm.chance(int(action), options.get("allowed"))
        self.rounds += 1
        self.plays = self.plays.copy()  # an attempt that fails leaves the old ones
        self.plays[action] += 1
        if who is not None:
            store.visit(who)
        if not algorithm.over:
            store.add(Round(self.rounds, action.ticket, int(action), *x))
        return action

    def _settle(self) -> None:
        """Count the reward that is due. Every call that changes a learner begins with it, so that a
        count that was cut off is done again from the same state and with the same draws."""
        self.store.touched = True
        number = self.rounds - self.delay
        if self.delay and number > 0 and (due := self.store.of_round(number)):
            if due.reward is None:
                due.reward = self.algorithm.missing
            self.store.count(due)
            self._count(due, due.reward)
            self.store.remove(due)

    def update(self, reward: SupportsFloat | Sequence[float], ticket: str | None = None) -> bool:
        """The reward of the action with this ticket, which only learners without a delay may leave
        out: one round waits there. Whether it was taken: the first one of a ticket is, within the
        delay; others are ignored, and counted in `late`."""
        return self._call("update", self._update, reward, ticket)

    def _update(self, reward, ticket) -> bool:
        store = self.store
        waits = None if self.delay else store.of_round(self.rounds)
        if ticket is None and self.delay:
            raise InputError("update: ticket is missing; allowed: that of the action")
        if ticket is None and waits is None:
            raise InputError("update: no round waits for a reward; allowed: after an act")
        if not isinstance(ticket, str | None):
            raise InputError("update: ticket: allowed: that of an action, arm.ticket")
        X = self.asks.reward(reward)
        if self.delay and ticket is not None:
            taken = store.take(ticket, X)
        elif taken := waits is not None and ticket in (None, waits.ticket):
            store.touched = True
            store.remove(waits)
            self._count(waits, X)
        if not taken:
            store.touched = True
            self.late += 1
        return taken

    def suggest(self, context=None, *, allowed: Iterable[int] | None = None) -> int:
        """The arm that seems best by what has been released, for those whose rounds are used up:
        nothing is counted or learned, and it costs no privacy."""
        return self._call("suggest", self._suggest, context, allowed, write=False)

    def _suggest(self, context, allowed) -> int:
        x, options = self.asks.context_and_arms("suggest", context, allowed)
        if self.algorithm.suggest is None:
            raise InputError(f"suggest: {self.name} shows nothing but its one output")
        return int(self.algorithm.suggest(*x, **options))

    def estimates(self) -> dict[str, list]:
        """What has been released, which may be shown to anybody: of each arm mean with noise and
        its standard deviation (None before the first) and plays, and who is retired, if anybody;
        of sparse algorithms the coefficients."""
        return self._call("estimates", self._estimates, write=False)

    def _estimates(self) -> dict[str, list]:
        algorithm = self.algorithm
        shown: dict[str, list] = {"plays": list(self.plays)}
        found = {name: np.asarray(x).tolist() for name, x in algorithm.estimates().items()}
        if algorithm.takes_context:
            return found
        low, high = self.asks.range or (0.0, 1.0)
        without = list(algorithm.unreleased())
        for name, start in (("mean", low), ("noise", 0.0)):
            values = [start + (high - low) * x for x in found.get(name, ())]
            if values:
                shown[name] = [None if j in without else x for j, x in enumerate(values)]
        return shown | ({"retired": list(self.retired)} if self.retired else {})

    def add_arm(self) -> int:
        """One more arm, and its number; when this happens must not depend on rewards."""
        return self._call("add_arm", self._add_arm)

    def _add_arm(self) -> int:
        if not self.algorithm.grows:
            raise InputError(f"add_arm: {self.name} needs all arms from the start; give arms=")
        self._settle()
        self._grow()
        self._without(self.retired)
        return self.algorithm.K - 1

    def _grow(self) -> None:
        self.algorithm.add_arm()
        self.plays = [*self.plays, 0]

    def retire(self, arm: int) -> None:
        """This arm is never played again, which must depend on no more than `allowed`. Rewards of
        its rounds still count."""
        self._call("retire", self._retire, arm)

    def _retire(self, arm) -> None:
        j = self.asks.arms("retire", [arm])[0]
        retired = sorted({*self.retired, j})
        if len(retired) == self.algorithm.K:
            raise InputError("retire: allowed: while another arm is left")
        if retired == self.retired:
            return
        self._settle()
        self._without(retired)
        if self.algorithm.retire:
            self.algorithm.retire(j)

    def _without(self, retired: list[int]) -> None:
        self.retired = retired
        live = [j for j in range(self.algorithm.K) if j not in retired]
        self.algorithm.live = live if retired else None

    def _call(self, what: str, call: Callable[..., Answer], *values, write=True) -> Answer:
        """One call at a time, all of it or nothing. What cuts one off in its middle (Ctrl-C, a time
        limit, an error in code of one's own) leaves a store as it was before, and a learner in
        memory of no use: the same rewards might be released twice."""
        store = self.store
        with store.lock:
            if store.within:
                cut = "an earlier call was cut off in its middle, or this one comes from within one"
                raise InputError(f"{what}: {cut}; make or open the learner anew")
            own = self.rounds, self.late, self.plays
            while True:
                try:
                    store.within = store.touched = True
                    if not store.begin(write):
                        self._read()
                        own = self.rounds, self.late, self.plays
                    store.touched = False
                    answer = call(*values)
                    store.commit(self.state)
                    store.within = False
                    return answer
                except Overtaken:  # by another process, while a draw was committed: once more
                    store.undo()
                except BaseException:
                    store.within = not store.undo()
                    self.rounds, self.late, self.plays = own
                    raise

    def _count(self, played: Round, X) -> None:
        context = () if played.context is None else (played.context,)
        self.algorithm.update(played.arm, X, *context)

    def state(self) -> dict[str, Any]:
        """What is kept, besides the rounds that wait and the persons: not private."""
        algorithm = self.algorithm
        state = {name: getattr(algorithm, name) for name in self._names}
        own = {"rounds": self.rounds, "late": self.late, "plays": self.plays}
        own |= {"arms": algorithm.K, "retired": self.retired}
        if self._exact:
            return state | {"@": own}
        return state | {"@": own, "@random": algorithm.rng.bit_generator.state}

    def _read(self) -> None:
        """What others have changed in the store."""
        algorithm = self.algorithm
        try:
            state = self.store.read()
            if self.store.known is None and not {*self._names, "@"} <= state.keys():
                raise KeyError
            if self._exact and self.store.known is None:  # not the numbers of a forked parent
                algorithm.rng.bit_generator.state = np.random.Philox().state
            if own := state.pop("@", None):
                while own["arms"] > algorithm.K:
                    self._grow()
                self._without(own["retired"])
                self.rounds, self.late, self.plays = own["rounds"], own["late"], own["plays"]
            if random := state.pop("@random", None):
                algorithm.rng.bit_generator.state = random
            for name, value in state.items():
                setattr(algorithm, name, value)
        except (KeyError, TypeError, ValueError) as error:
            raise StoreError(f"not the state of this learner: {type(error).__name__}") from None
