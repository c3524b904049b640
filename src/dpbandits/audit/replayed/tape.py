"""The tape of one run: what it noises, compares and draws; replayed, each has the old outcome."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = str(Path(__file__).parent)
MOST_EVENTS = 6000


class Diverged(Exception):
    """A replay cannot follow the recorded run: what it does depends on the data."""


class Event(NamedTuple):
    """kind "=": base + noise was released as `out`; "<": base + noise > 0 was `out`; "draw": of the
    outcomes of probabilities `base`, `out`; "blind" if a replay does not see how data meet it.
    parts: {draw: its coefficient}."""

    kind: str
    name: str
    parts: dict
    base: Any
    out: Any


@dataclass
class Tape:
    rng: np.random.Generator
    wild: float = 1.0  # noise is this many times larger, so that unlikely ways are seen, too
    sign: int = 0  # of all noise; 0: as it is drawn
    old: "Tape | None" = None  # to be replayed
    forced: list = field(default_factory=list)  # outcomes of the first draws
    shift: dict = field(default_factory=dict)  # of units of noise
    laws: list = field(default_factory=list)  # (law, loss for each unit of a shift) of each draw
    units: list = field(default_factory=list)
    born: list = field(default_factory=list)  # where each was drawn
    events: list = field(default_factory=list)
    unseen: set = field(default_factory=set)

    def unit(self, law: str, rate: float = 1.0, value=None) -> int:
        """The number of a new draw of noise."""
        if value is None:
            draw = {"gaussian": "normal"}.get(law, law)
            value = self.wild * float(getattr(self.rng, draw)())
        self.laws.append((law, rate))
        self.born.append(line())
        value = self.sign * abs(value) if self.sign else value
        self.units.append(value + self.shift.get(len(self.units), 0.0))
        return len(self.units) - 1

    def value(self, base: float, parts: dict) -> float:
        return base + sum(c * self.units[i] for i, c in parts.items())

    def release(self, base: float, parts: dict) -> float:
        return self._add("=", parts, base, lambda: self.value(base, parts))

    def above(self, base: float, parts: dict) -> bool:
        return self._add("<", parts, base, lambda: self.value(base, parts) > 0)

    def draw(self, probabilities, kind="draw") -> int:
        """The place of an outcome; in wild runs all are as likely."""
        p = np.asarray(probabilities, float)
        if not (p >= 0).all():
            raise ValueError("probabilities are not non-negative")  # as NumPy does
        rows = (p > 0) * 1.0 if self.wild != 1 else p
        ends = np.cumsum(rows)
        drawn = min(int((self.rng.random() * ends[-1] >= ends).sum()), len(p) - 1)
        return self._add(kind, {}, p, lambda: drawn)

    def order(self, bases, parts: list, chosen: list) -> list:
        """The places of the largest: each of `chosen` (computed on the first run) is above the rest,
        in this order."""
        k = len(self.events)
        if self.old is not None:
            event = self.old.events[k] if k < len(self.old.events) else None
            if event is None or event.kind != "order":
                raise Diverged(f"it chooses at {line()}")
            chosen = event.out
        return self._add("order", {"bases": list(bases), "parts": parts}, 0.0, lambda: chosen)

    def _add(self, kind, parts, base, out):
        k, name = len(self.events), line()
        if k >= MOST_EVENTS:
            raise Diverged(f"a run noises more than {MOST_EVENTS} quantities; it may never stop")
        if self.old is not None:
            if k >= len(self.old.events):
                raise Diverged(f"it noises one more quantity, {name}")
            event = self.old.events[k]
            same = event.parts.keys() == parts.keys() and np.shape(event.base) == np.shape(base)
            if (event.kind, event.name) != (kind, name) or not same:
                raise Diverged(f"it noises {name} where it noised {event.name} before")
            value = event.out
        elif kind in ("draw", "blind") and self.forced:
            value = self.forced.pop(0)
        else:
            value = out()
        self.events.append(Event(kind, name, parts, base, value))
        return value


def line() -> str:
    """The place in the user's code, outside this folder and NumPy."""
    frame = sys._getframe(1)
    while frame.f_back and (
        frame.f_code.co_filename.startswith(FOLDER)
        or frame.f_globals.get("__name__", "").startswith(("numpy", "scipy", "dataclasses"))
    ):
        frame = frame.f_back
    if frame.f_code.co_name == "leaves":
        return "the output"
    return f"{frame.f_code.co_name}, line {frame.f_lineno}"
