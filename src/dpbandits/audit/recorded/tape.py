"""The tape of one run: each quantity that is noised, its noise and what came out.

Replayed on a neighbour, every noised quantity gives the recorded output again: a program that
adapts to its outputs takes the same way, and the tape shows how far each quantity moves.
"""

import inspect
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.core.port import by_row, first_largest

FOLDER = str(Path(__file__).parent)
MOST_EVENTS = 5000  # of one run: a program that retries may never stop
DRAWN = ("bernoulli", "choice")  # laws of outcomes whose ratios are exact


class Diverged(Exception):
    """A replay cannot follow the recorded run: what it does depends on the data. refutes: claims
    with a delta below this, if the output shows what was noised, as the two laws exclude each
    other's outcomes."""

    def __init__(self, text: str, refutes: float = 0.0):
        super().__init__(text)
        self.refutes = refutes


class Endless(Diverged):
    """A run noises more quantities than are recorded."""


@dataclass
class Event:
    """One noised quantity: released with noise of a law, or the place of its largest entry, or an
    outcome that is drawn with the probabilities `value` (the last axis)."""

    kind: str  # "release", "argmax" or "draw"
    law: str  # laplace, gaussian, exponential or gumbel; bernoulli or choice
    value: np.ndarray
    scale: np.ndarray
    output: Any
    name: str
    count: int | None = None
    sensitivity: float | None = None  # that the program declares
    draws: tuple[int, ...] = ()  # which draws of noise, negative if mirrored; (): fresh ones
    decided: int = 0  # how much of the output came before it
    whole: bool = False  # stands for more than was released, so that its loss is not attained
    offset: Any = 0.0  # what was released is output + offset
    escaped: bool = True  # the program has the number; else it was only compared
    compared: list = field(default_factory=list)  # with what, after the first time

    @property
    def form(self):
        return self.kind, self.law, self.count, self.value.shape


@dataclass
class Tape:
    """The events of one run; with `recorded` events it gives their outputs again."""

    rng: np.random.Generator
    wild: float = 1.0  # noise is this many times larger, so that unlikely ways are seen, too
    sign: int = 0  # of all released noise; 0: as it is drawn
    recorded: list[Event] | None = None
    forced: list = field(default_factory=list)  # outcomes of the first quantities
    most: int = MOST_EVENTS
    events: list[Event] = field(default_factory=list)
    decisions: list = field(default_factory=list)  # the output so far; a function's comes at once
    unseen: set[str] = field(default_factory=set)  # draws beside the noise, and where

    def noise(self, law: str, scale, shape):
        draw = {"gaussian": "normal"}.get(law, law)
        noise = self.wild * getattr(self.rng, draw)(scale=1.0, size=shape) * scale
        return self.sign * np.abs(noise) if self.sign else noise

    def draw(self, probabilities: np.ndarray, law: str, name: str):
        """The place of an outcome for each row of probabilities; in wild runs all are as likely."""
        if probabilities.ndim > 1:
            return np.array([self.draw(row, law, name) for row in probabilities], int)
        rows = (probabilities > 0) * 1.0 if self.wild != 1 else probabilities
        ends = np.cumsum(rows)
        drawn = int((self.rng.random() * ends[-1] >= ends).sum())
        return self.add(Event("draw", law, probabilities, np.ones(1), drawn, name))

    def add(self, event: Event):
        """The output of a noised quantity: its own, the recorded or the forced one."""
        place = len(self.events)
        if place >= self.most:
            text = f"a run noises more than {self.most} quantities; it may never stop"
            raise Endless(f"{text} ({event.name})")
        event.decided = len(self.decisions)
        if place < len(self.forced):
            event.output = self.forced[place]
        if self.recorded is not None:
            if place >= len(self.recorded):
                raise Diverged(f"it noises one more quantity, {event.name}")
            old = self.recorded[place]
            if (old.form, old.name, old.draws) != (event.form, event.name, event.draws):
                raise Diverged(f"it noises {event.name} where it noised {old.name} before")
            event.output = old.output
        self.events.append(event)
        return np.copy(event.output) if isinstance(event.output, np.ndarray) else event.output


def line() -> str:
    """The place of the call in the user's code, outside this folder and NumPy."""
    frame = inspect.currentframe()
    while frame.f_back and (
        frame.f_code.co_filename.startswith(FOLDER)
        or frame.f_globals["__name__"].startswith("numpy.")
    ):
        frame = frame.f_back
    return f"{frame.f_code.co_name}, line {frame.f_lineno}"


class RecordedNoise:
    """A noise port (core.port.NoisePort) that records."""

    def __init__(self, tape: Tape):
        self.tape = tape

    def laplace(self, value, scale, *, sensitivity=1, name=""):
        return self._release("laplace", value, scale, sensitivity, name)

    def gaussian(self, value, scale, *, sensitivity=1, name=""):
        return self._release("gaussian", value, scale, sensitivity, name)

    def _release(self, law, value, scale, sensitivity, name):
        array, scales = arrays(value, scale)
        output = array + self.tape.noise(law, scales, array.shape)
        event = Event("release", law, array, scales, output, name or line(), None, sensitivity)
        output = self.tape.add(event)
        return output if np.ndim(value) else float(output)

    def argmax(self, scores, scale, law="laplace", *, count=None, sensitivity=1, name=""):
        array, scales = arrays(scores, scale)
        noisy = array + self.tape.noise(law, scales, array.shape)
        chosen = by_row(lambda row: first_largest(row, count), noisy)
        event = Event("argmax", law, array, scales, chosen, name or line(), count, sensitivity)
        return self.tape.add(event)

    def exponential_mechanism(self, scores, scale, *, sensitivity=1, name=""):
        return self.argmax(scores, scale, "gumbel", sensitivity=sensitivity, name=name)

    def bernoulli(self, p, *, name=""):
        p = np.clip(np.asarray(p, float), 0.0, 1.0)
        drawn = self.tape.draw(np.stack([1 - p, p], axis=-1), "bernoulli", name or line())
        return np.equal(drawn, 1) if p.ndim else drawn == 1


def arrays(value, scale):
    """Both as arrays of the shape of the value."""
    array = np.array(value, float)
    scales = np.broadcast_to(np.asarray(scale, float), array.shape).copy()
    if not (scales >= 0).all():  # a negative one would lessen the loss of the others
        raise ValueError("scale < 0, or NaN")  # as NumPy does
    return array, scales
