"""Actions, and the rounds and persons of a learner in memory; values as columns of a file."""

import json
import math
import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dpbandits.core.errors import InputError


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


def packed(value: Any) -> Any:
    """For a column of SQLite: numbers as they are, arrays as their bytes, all else as JSON."""
    kind = type(value)
    if kind is np.ndarray and value.dtype.kind in "biuf":
        return _head(value.dtype, value.shape) + value.tobytes()
    if value is None or (kind is int and -(2**63) <= value < 2**63):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if kind in EMPTY and not value:
        return EMPTY[kind]
    try:
        return ENCODE(value)
    except (TypeError, ValueError):
        raise InputError("state: allowed: numbers, arrays of them, texts, lists of these") from None


@lru_cache
def _head(dtype: np.dtype, shape: tuple[int, ...]) -> bytes:
    return f"{dtype.str} {' '.join(map(str, shape))}\n".encode()


def unpacked(value: Any) -> Any:
    if isinstance(value, bytes):
        head, _, body = value.partition(b"\n")
        dtype, *shape = head.decode().split()
        return np.frombuffer(body, dtype).reshape(tuple(map(int, shape))).copy()
    return DECODE(value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as plain JSON."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"dtype": value.dtype.str, "shape": value.shape, "values": value.ravel().tolist()}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def _array(found: dict[str, Any]) -> Any:
    if found.keys() != {"dtype", "shape", "values"}:
        return found
    return np.array(found["values"], found["dtype"]).reshape(found["shape"])


EMPTY = {list: "[]", dict: "{}"}
ENCODE = json.JSONEncoder(default=_plain).encode
DECODE = json.JSONDecoder(object_hook=_array).decode
