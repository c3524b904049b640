"""Actions, and the rounds and persons of a learner that ends with its process."""

import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Overtaken(Exception):
    """Another process has changed the learner while this one committed a draw."""


class Arm(int):
    """An action: a whole number, with the ticket for its reward."""

    ticket: str
    chance: float | Callable[[], float] | None = None

    @property
    def propensity(self) -> float | None:
        """The probability of this action given all that has been released (and the context), if the
        algorithm randomises; it is as public as the action."""
        return self.chance() if callable(self.chance) else self.chance


@dataclass(slots=True)
class Round:
    """A round whose reward has not been counted."""

    number: int
    ticket: str
    arm: int
    context: Any = None
    reward: Any = None


class Memory:
    """Rounds and persons of a learner that ends with its process."""

    def __init__(self):
        self.rounds: dict[int, Round] = {}
        self.tickets: dict[str, Round] = {}
        self.persons: Counter[str] = Counter()
        self.lock = threading.RLock()
        self.within = self.touched = False  # a call; what it changes in memory
        self.known: int | None = 0

    def begin(self, write: bool) -> bool:
        return True

    def read(self) -> dict[str, Any]:
        return {}

    def count(self, due: Round) -> None:
        pass

    def commit(self, state) -> None:
        pass

    def undo(self) -> bool:
        """Whether all is as before the call."""
        return not self.touched

    def ticket(self, number: int) -> str:
        """For the reward of this round, which it does not show."""
        return os.urandom(16).hex()

    def add(self, played: Round) -> None:
        self.rounds[played.number] = self.tickets[played.ticket] = played

    def of_round(self, number: int) -> Round | None:
        return self.rounds.get(number)

    def take(self, ticket: str, X) -> bool:
        """Keep this reward, which is the first one of a round that waits, or say that it is not."""
        played = self.tickets.get(ticket)
        if taken := played is not None and played.reward is None:
            played.reward = X
        return taken

    def remove(self, played: Round) -> None:
        del self.rounds[played.number], self.tickets[played.ticket]

    def visits(self, person: str) -> int:
        return self.persons[person]

    def visit(self, person: str) -> None:
        self.persons[person] += 1
