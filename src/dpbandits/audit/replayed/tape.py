"""The tape of one run: what it noises, compares and draws; replayed, each has the old outcome."""

import inspect
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = str(Path(__file__).parent)
LIBRARIES = ("numpy", "scipy", "dataclasses", "statistics")
MOST_EVENTS = 6000
ONE_SIDED = ("exponential", "geometric")  # noise that is never below 0


class Diverged(Exception):
    """A replay cannot follow the recorded run: what it does depends on the data."""


class Event(NamedTuple):
    """A form (base, {draw: coefficient}) is the number base + its noise. Kinds: "=": it was
    released as `out`; "<": it was above 0, or not; "order": the forms at the places `out` were the
    largest, in this order; "draw": of the outcomes with the probabilities `chances`, `out`; "blind"
    if a replay does not see how data meet it."""

    kind: str
    name: str
    forms: list
    out: Any
    chances: Any = ()

    @property
    def bases(self) -> list[float]:
        return [base for base, _ in self.forms]

    @property
    def draws(self) -> set[int]:
        return {i for _, parts in self.forms for i in parts}


@dataclass
class Tape:
    rng: np.random.Generator
    wild: float = 1.0  # noise is this many times larger, so that unlikely ways are seen, too
    sign: int = 0  # of all noise; 0: as it is drawn
    old: "Tape | None" = None  # to be replayed
    prefer: int | None = None  # who is to win each argmax: its noise is raised
    forced: list = field(default_factory=list)  # outcomes of the first draws
    shift: dict = field(default_factory=dict)  # of units of noise
    laws: list = field(default_factory=list)  # (law, loss for each unit of a shift) of each draw
    units: list = field(default_factory=list)
    born: list = field(default_factory=list)  # where each was drawn
    events: list = field(default_factory=list)
    declared: dict = field(default_factory=dict)  # {place of an event: how far it may move}
    unseen: set = field(default_factory=set)

    def unit(self, law: str, rate: float = 1.0, value=None, where: str = "") -> int:
        """The number of a new draw of noise."""
        if value is None:
            value = float(getattr(self.rng, {"gaussian": "normal"}.get(law, law))()) * self.wild
        value = abs(value) * (self.sign if law not in ONE_SIDED else 1) if self.sign else value
        self.laws.append((law, rate))
        self.born.append(where or line())
        self.units.append(value + self.shift.get(len(self.units), 0.0))
        return len(self.units) - 1

    def value(self, base: float, parts: dict) -> float:
        return base + sum(c * self.units[i] for i, c in parts.items())

    def release(self, base: float, parts: dict) -> float:
        return self._add("=", [(base, parts)], lambda: self.value(base, parts))

    def above(self, base: float, parts: dict) -> bool:
        return self._add("<", [(base, parts)], lambda: self.value(base, parts) > 0)

    def draw(self, probabilities, kind="draw") -> int:
        """The place of an outcome; in wild runs all are as likely."""
        p = np.asarray(probabilities, float)
        if not (p >= 0).all():
            raise ValueError("probabilities are not non-negative")  # as NumPy does
        ends = np.cumsum((p > 0) * 1.0 if self.wild != 1 else p)
        drawn = min(int((self.rng.random() * ends[-1] >= ends).sum()), len(p) - 1)
        return self._add(kind, [], lambda: drawn, p)

    def order(self, forms: list, k: int) -> list[int]:
        """The places of the k largest."""

        def largest():
            values = [self.value(*form) for form in forms]
            if self.prefer is not None:
                self._raise(forms[self.prefer % len(forms)], max(values))
                values = [self.value(*form) for form in forms]
            return sorted(range(len(forms)), key=lambda i: -values[i])[:k]

        return self._add("order", forms, largest)

    def _raise(self, form, goal: float) -> None:
        """Change the noise of a score so that it is the largest, if any noise can that is new."""
        base, parts = form
        used = set().union(*(event.draws for event in self.events))
        for i, factor in parts.items():
            if factor and i not in used and math.isfinite(base):
                more = (goal + abs(factor) - self.value(base, parts)) / factor
                self.units[i] += math.ceil(more) if self.laws[i][0] == "geometric" else more
                return

    def _add(self, kind, forms, outcome, chances=()):
        name = line()
        if len(self.events) >= MOST_EVENTS:
            raise Diverged(f"a run noises more than {MOST_EVENTS} quantities; it may never stop")
        if self.old is not None:
            value = self._replayed(kind, name, forms, chances).out
        elif kind in ("draw", "blind") and self.forced:
            value = self.forced.pop(0)
        else:
            value = outcome()
        self.events.append(Event(kind, name, forms, value, chances))
        return value

    def _replayed(self, kind, name, forms, chances) -> Event:
        k = len(self.events)
        if k >= len(self.old.events):
            raise Diverged(f"it noises one more quantity, {name}")
        event = self.old.events[k]
        if (event.kind, event.name) != (kind, name):
            raise Diverged(f"it noises {name} where it noised {event.name} before")
        if [x.keys() for _, x in event.forms] != [x.keys() for _, x in forms]:
            raise Diverged(f"which noise is used at {name} depends on the data")
        if len(event.chances) != len(chances):
            raise Diverged(f"how many outcomes {name} has depends on the data")
        return event


def line() -> str:
    """The place in the user's code, outside this folder and NumPy."""
    frame = inspect.currentframe()
    while frame.f_back and (
        frame.f_code.co_filename.startswith(FOLDER)
        or frame.f_globals.get("__name__", "").startswith(LIBRARIES)
    ):
        frame = frame.f_back
    if frame.f_code.co_name == "leaves":
        return "the output"
    file = os.path.basename(frame.f_code.co_filename)
    return f"{file}:{frame.f_lineno} ({frame.f_code.co_name})"
