"""Record what a program adds noise to, and replay it on a neighbour with the same outputs.

A program is "noise, then postprocessing" if its data reach the outside through noised quantities
alone. Run on D it is recorded: each quantity, its noise and what came out. Run on D' every noised
quantity gives the recorded output again, so that a program which adapts takes the same way, and the
recorder sees how far each quantity moves. Lap(b) on a value that moves by m loses exactly |m|/b, an
argmax of noisy scores at most (max m - min m)/b, which is attained in the limit of scores far apart
(Laplace, exponential and Gumbel noise; docs/proofs/AUDIT.md); at the scores themselves its loss is
computed from the law of the winner. Quantities compose by adding up.

`RecordedNoise` is a noise port (core.port) for learners; `RecordedGenerator` stands in for a NumPy
generator. Its noise remembers what is added to it, until it is used in another way; its uniform
numbers remember with what they are compared.
"""

import copy
import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from dpbandits.audit.balls import lower, max_divergence, precision
from dpbandits.audit.selection import selection_probabilities, start_bits
from dpbandits.core.port import by_row, first_largest

MOST_EVENTS = 5000  # of one run: a program that retries may never stop
MOST_EXACT = 12  # scores of an argmax whose law is computed
DRAWN = ("bernoulli", "choice")  # laws of outcomes whose ratios are exact
SELECTIONS = ("laplace", "exponential", "gumbel")  # whose winner has a known law


class Diverged(Exception):
    """A replay cannot follow the recorded run: what it does depends on the data."""


class Unequal(Diverged):
    """The same quantities are noised, but their laws exclude each other's outcomes: if the output
    shows them, its pure loss is infinite. any_delta: and no delta below 1 repairs that."""

    def __init__(self, text: str, any_delta: bool):
        super().__init__(text)
        self.any_delta = any_delta


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
    emitted: int = 0  # decisions of a learner before it
    whole: bool = False  # stands for more than was released, so that its loss is not attained
    offset: Any = 0.0  # what was released is output + offset
    escaped: bool = True  # the program has the number; else it was only compared
    compared: list = field(default_factory=list)  # with what, after the first time


@dataclass
class Tape:
    """The events of one run; with `recorded` outputs it replays them."""

    rng: np.random.Generator
    wild: float = 1.0  # noise is this many times larger, so that unlikely ways are seen, too
    sign: int = 0  # of all released noise; 0: as it is drawn
    recorded: list[Event] | None = None
    forced: list | None = None  # outcomes of the first quantities
    most: int = MOST_EVENTS
    events: list[Event] = field(default_factory=list)
    decisions: list | None = None  # of a learner, so far

    def noise(self, law: str, scale, shape):
        draw = {"gaussian": "normal"}.get(law, law)
        noise = self.wild * getattr(self.rng, draw)(scale=1.0, size=shape) * scale
        return self.sign * np.abs(noise) if self.sign else noise

    def draw(self, probabilities: np.ndarray, law: str, name: str):
        """The place of an outcome for each row of probabilities; in wild runs all are as likely."""
        if probabilities.ndim > 1:
            rows = probabilities.reshape(-1, probabilities.shape[-1])
            drawn = [self.draw(row, law, name) for row in rows]
            return np.array(drawn, int).reshape(probabilities.shape[:-1])
        rows = (probabilities > 0) * 1.0 if self.wild != 1 else probabilities
        ends = np.cumsum(rows, axis=-1)
        drawn = int((self.rng.random() * ends[-1] >= ends).sum())
        return self.add(Event("draw", law, probabilities, np.ones(1), drawn, name))

    def add(self, event: Event):
        """The output of a noised quantity: its own, the recorded or the forced one."""
        if len(self.events) >= self.most:
            text = f"a run noises more than {self.most} quantities; it may never stop"
            raise Endless(f"{text} ({event.name})")
        event.emitted = len(self.decisions or ())
        if self.forced is not None and len(self.events) < len(self.forced):
            event.output = self.forced[len(self.events)]
        if self.recorded is not None:
            if len(self.events) >= len(self.recorded):
                raise Diverged(f"it noises one more quantity, {event.name}")
            old = self.recorded[len(self.events)]
            same = (old.kind, old.law, old.count, old.value.shape, old.name, old.draws)
            if same != (*form(event), event.name, event.draws):
                raise Diverged(f"it noises {event.name} where it noised {old.name} before")
            event.output = old.output
        self.events.append(event)
        return np.copy(event.output) if isinstance(event.output, np.ndarray) else event.output


def form(event: Event):
    return event.kind, event.law, event.count, event.value.shape


def _line() -> str:
    """The place of the call in the user's code, outside this file and NumPy."""
    frame = inspect.currentframe()
    while frame.f_back and (
        frame.f_code.co_filename == __file__ or frame.f_globals["__name__"].startswith("numpy.")
    ):
        frame = frame.f_back
    return f"{frame.f_code.co_name}, line {frame.f_lineno}"


# The port of a learner
class RecordedNoise:
    """A noise port (core.port.NoisePort) that records."""

    def __init__(self, tape: Tape):
        self.tape = tape

    def laplace(self, value, scale, *, sensitivity=1, name=""):
        return self._release("laplace", value, scale, sensitivity, name)

    def gaussian(self, value, scale, *, sensitivity=1, name=""):
        return self._release("gaussian", value, scale, sensitivity, name)

    def _release(self, law, value, scale, sensitivity, name):
        array, scales = _arrays(value, scale)
        output = array + self.tape.noise(law, scales, array.shape)
        event = Event("release", law, array, scales, output, name or _line(), None, sensitivity)
        output = self.tape.add(event)
        return output if np.ndim(value) else float(output)

    def argmax(self, scores, scale, law="laplace", *, count=None, sensitivity=1, name=""):
        array, scales = _arrays(scores, scale)
        noisy = array + self.tape.noise(law, scales, array.shape)
        chosen = by_row(lambda row: first_largest(row, count), noisy)
        event = Event("argmax", law, array, scales, chosen, name or _line(), count, sensitivity)
        return self.tape.add(event)

    def exponential_mechanism(self, scores, scale, *, sensitivity=1, name=""):
        return self.argmax(scores, scale, "gumbel", sensitivity=sensitivity, name=name)

    def bernoulli(self, p, *, name=""):
        p = np.clip(np.asarray(p, float), 0.0, 1.0)
        drawn = self.tape.draw(np.stack([1 - p, p], axis=-1), "bernoulli", name or _line())
        return np.equal(drawn, 1) if p.ndim else drawn == 1


def _arrays(value, scale):
    array = np.array(value, float)
    scales = np.broadcast_to(np.asarray(scale, float), array.shape).copy()
    if not (scales >= 0).all():  # a negative one would lessen the loss of the others
        raise ValueError("scale < 0, or NaN")  # as NumPy does
    return array, scales


# A generator of NumPy
class NotedGenerator:
    """A NumPy generator that notes which of its methods are called, and where."""

    def __init__(self, other: np.random.Generator, unseen: set[str]):
        self.other, self.unseen = other, unseen

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.unseen.add(f"{name} ({_line()})")
        return getattr(self.other, name)


class RecordedGenerator(NotedGenerator):
    """Stands in for `numpy.random.Generator`; it also has the methods of a noise port.

    Seen: `laplace`, `normal`, `standard_normal`, `gumbel`, `exponential`, `standard_exponential`,
    whose noise is added to data or given them as `loc`, and argmax of the sum; `choice` with
    probabilities; `random` that is only compared, `binomial` of one trial. All other random
    numbers are drawn as usual, the same in both runs; `unseen` names their methods.
    """

    def __init__(self, tape: Tape, other: np.random.Generator, unseen: set[str]):
        super().__init__(other, unseen)
        self.tape, self.port, self.drawn = tape, RecordedNoise(tape), 0
        self.argmax = self.port.argmax
        self.gaussian = self.port.gaussian
        self.exponential_mechanism = self.port.exponential_mechanism
        self.bernoulli = self.port.bernoulli

    def laplace(self, loc=0.0, scale=1.0, size=None, *, sensitivity=None, name=""):
        return self._noise("laplace", loc, scale, size, name, sensitivity)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self._noise("gaussian", loc, scale, size)

    def standard_normal(self, size=None):
        return self._noise("gaussian", 0.0, 1.0, size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        return self._noise("gumbel", loc, scale, size)

    def exponential(self, scale=1.0, size=None):
        return self._noise("exponential", 0.0, scale, size)

    def standard_exponential(self, size=None):
        return self._noise("exponential", 0.0, 1.0, size)

    def random(self, size=None):
        return Uniform(self, np.zeros(size or ()), np.ones(size or ()), _line())

    def uniform(self, low=0.0, high=1.0, size=None):
        if np.ndim(low) or np.ndim(high) or (low, high) != (0.0, 1.0):
            return self.__getattr__("uniform")(low, high, size)
        return self.random(size)

    def binomial(self, n, p, size=None):
        if not np.all(np.equal(n, 1)):
            return self.__getattr__("binomial")(n, p, size)
        drawn = self.bernoulli(np.broadcast_to(p, np.shape(p) if size is None else size))
        return drawn.astype(int) if isinstance(drawn, np.ndarray) else int(drawn)

    def choice(self, a, size=None, replace=True, p=None, **more):
        if p is None or more or not (replace or size is None):
            return self.__getattr__("choice")(a, size, replace, p, **more)
        items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        probabilities = np.asarray(p, float)
        probabilities = np.broadcast_to(
            probabilities, (*np.shape(np.empty(size or ())), len(items))
        )
        return items[self.tape.draw(probabilities, "choice", _line())]

    def _noise(self, law, loc, scale, size, name="", sensitivity=None):
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale), np.shape(np.empty(size or ())))
        array, scales = _arrays(np.broadcast_to(np.asarray(loc, float), shape), scale)
        noise = self.tape.noise(law, scales, shape)
        first, self.drawn = self.drawn, self.drawn + max(1, noise.size)
        draws = 1 + np.arange(first, self.drawn).reshape(shape)
        bare = type(loc) in (int, float) and loc == 0
        about = name or _line(), sensitivity, False, bare
        return Noised(self.tape, law, array, scales, noise, draws, *about)


class Standin(np.lib.mixins.NDArrayOperatorsMixin):
    """Stands in for a number or an array, which `__array__` gives away."""

    def __array_function__(self, function, types, arguments, keywords):
        return function(*plain(arguments), **plain(keywords))

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __float__(self):
        return float(np.asarray(self))

    def __int__(self):
        return int(float(self))

    def __bool__(self):
        return bool(np.asarray(self))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __repr__(self):
        return repr(np.asarray(self))

    def __format__(self, how):
        return format(float(self), how)

    def __round__(self, digits=None):
        return round(float(self), digits)


class Uniform(Standin):
    """Numbers from [0, 1): whether one is below p is a Bernoulli outcome, and narrows its range;
    any other use draws it, unseen."""

    def __init__(self, generator: RecordedGenerator, low, high, name: str):
        self.generator, self.low, self.high, self.name = generator, low, high, name
        self.drawn = self.parts = None

    def __array__(self, dtype=None, copy=None):
        if self.drawn is None and self.parts is not None:
            self.drawn = np.array([float(x) for x in self.parts.flat]).reshape(self.parts.shape)
        elif self.drawn is None:
            self.generator.unseen.add(f"random ({self.name})")
            share = self.generator.other.random(np.shape(self.low))
            self.drawn = np.asarray(self.low + share * (self.high - self.low))
        return self.drawn.astype(dtype) if dtype else self.drawn

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if ufunc in COMPARISONS and self.drawn is None and self.parts is None:
            first = inputs[0] is self
            other, shape = inputs[first], np.shape(self.low)
            fits = np.broadcast_shapes(np.shape(other), shape) == shape
            if fits and not isinstance(other, Standin):
                below = self._below(np.asarray(other, float))
                return below if (ufunc in (np.less, np.less_equal)) == first else ~below
        return getattr(ufunc, method)(*map(plain, inputs), **keywords)

    def _below(self, p):
        low, high = self.low, self.high
        share = np.clip((p - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
        probabilities = np.stack([1 - share, share], axis=-1)
        drawn = self.generator.tape.draw(probabilities, "bernoulli", self.name)
        below, p = np.equal(drawn, 1), np.clip(p, low, high)
        self.low, self.high = np.where(below, low, p), np.where(below, p, high)
        return below

    def __getitem__(self, index):
        if self.parts is None:  # its entries are separate from now on
            self.parts = np.empty(np.shape(self.low), object)
            for i in np.ndindex(self.parts.shape):
                self.parts[i] = Uniform(self.generator, self.low[i], self.high[i], self.name)
        part = self.parts[index] if self.drawn is None else None
        return part if isinstance(part, Uniform) else np.asarray(self)[index]

    def __len__(self):
        return len(self.low)


class Noised(Standin):
    """A value plus noise: constants are added and multiplied, an argmax is its place, and any other
    use releases it. Where it is only compared with a number, the difference is released."""

    def __init__(self, tape, law, value, scale, noise, draws, name, sensitivity=None, whole=False,
                 bare=False):  # fmt: skip
        self.tape, self.law, self.value, self.scale = tape, law, value, scale
        self.noise, self.draws, self.name, self.sensitivity = noise, draws, name, sensitivity
        self.whole, self.bare, self.released, self.event = whole, bare, None, None

    def moved(self, value, factor=1.0, bare=False):
        signs = np.sign(factor).astype(int)
        value, scale, noise, draws = np.broadcast_arrays(
            value, self.scale * np.abs(factor), self.noise * factor, self.draws * signs
        )
        law = self.law if np.all(np.asarray(factor) > 0) else MIRRORED.get(self.law, self.law)
        about = self.name, self.sensitivity, self.whole, bare and self.bare
        return Noised(self.tape, law, value.astype(float), scale, noise, draws, *about)

    def number(self, offset=0.0):
        """What is released; where it is compared with an offset, of its difference."""
        if self.released is None:
            value, scale = np.array(self.value - offset, float), np.array(self.scale, float)
            draws = tuple(self.draws.ravel().tolist())
            about = {"draws": draws, "whole": self.whole, "offset": offset, "escaped": False}
            event = Event("release", self.law, value, scale, value + self.noise, self.name, **about)
            event.sensitivity = self.sensitivity
            self.released = np.asarray(self.tape.add(event) + offset, float)
            self.event = event
        return self.released

    def __array__(self, dtype=None, copy=None):
        """Release it."""
        released = self.number()
        self.event.escaped = True
        return released.astype(dtype) if dtype else released

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if keywords.keys() == {"out"} and not any(isinstance(x, Noised) for x in keywords["out"]):
            (target,) = keywords["out"]  # counts += noise
            target[...] = plain(self.__array_ufunc__(ufunc, method, *inputs))
            return target
        result = NotImplemented
        if method == "__call__" and not keywords and len(inputs) <= 2:
            if ufunc in COMPARISONS:
                return self._compared(ufunc, inputs)
            if all(x.released is None for x in inputs if isinstance(x, Noised)):
                result = self._linear(ufunc, *inputs)
        if result is not NotImplemented:
            return result
        return getattr(ufunc, method)(*map(plain, inputs), **keywords)

    def _linear(self, ufunc, first, other=None):
        if ufunc is np.negative:
            return self.moved(-self.value, -1.0, True)
        if isinstance(first, Noised) and isinstance(other, Noised):
            if ufunc is np.subtract:
                other = -other
            summed = ufunc in (np.add, np.subtract) and (first.bare or other.bare)
            return first.plus(other) if summed else NotImplemented
        if other is None:
            return NotImplemented
        own, other = first is self, np.asarray(other if first is self else first, float)
        if ufunc is np.add:
            return self.moved(self.value + other)
        if ufunc is np.subtract:
            return self.moved(self.value - other) if own else self.moved(other - self.value, -1.0)
        if ufunc is np.multiply:
            return self.moved(self.value * other, other, True)
        if ufunc is np.divide and own:
            return self.moved(self.value / other, 1 / other, True)
        return NotImplemented

    def plus(self, other):
        """A sum of noises, one of which has no value yet, loses at most what the larger one alone
        does, if it has all the value: the smaller is released without one."""
        small, large = sorted((self, other), key=lambda x: np.max(x.scale, initial=0.0))
        alone = Noised(self.tape, small.law, np.zeros_like(small.noise), small.scale, small.noise,
                       small.draws, small.name)  # fmt: skip
        total = large.moved(large.value + small.value + alone.number())
        total.whole = True
        return total

    def _compared(self, ufunc, inputs):
        numbers = [np.asarray(x, float) for x in inputs if not isinstance(x, Noised)]
        if numbers and self.released is not None:
            self.event.compared.append(numbers[0])
        elif numbers and np.isfinite(numbers[0]).all():
            shapes = numbers[0].shape, self.value.shape
            self.number(numbers[0] if np.broadcast_shapes(*shapes) == shapes[1] else 0.0)
        return ufunc(*(x.number() if isinstance(x, Noised) else np.asarray(x) for x in inputs))

    def __array_function__(self, function, types, arguments, keywords):
        if function is np.argmax and arguments == (self,) and not keywords:
            return self.argmax()
        return super().__array_function__(function, types, arguments, keywords)

    def argmax(self):
        if self.released is not None or self.value.ndim != 1:
            return np.argmax(np.asarray(self))
        draws = tuple(self.draws.ravel().tolist())
        value, scale = np.array(self.value, float), np.array(self.scale, float)
        chosen = int(np.argmax(value + self.noise))
        event = Event("argmax", self.law, value, scale, chosen, self.name, draws=draws)
        return self.tape.add(event)

    def __getitem__(self, index):
        if self.released is not None:
            return np.asarray(self)[index]
        parts = (np.asarray(x)[index] for x in (self.value, self.scale, self.noise, self.draws))
        value, scale, noise, draws = map(np.asarray, parts)
        about = f"{self.name}[{index}]", self.sensitivity, self.whole, self.bare
        return Noised(self.tape, self.law, value, scale, noise, draws, *about)

    def __len__(self):
        return len(self.value)

    def __index__(self):
        raise TypeError("noise is no whole number")


COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal)
MIRRORED = {"exponential": "-exponential", "gumbel": "-gumbel"}


def plain(x):
    """The same with all noised values released."""
    if isinstance(x, Standin):
        array = np.asarray(x)
        return array if array.ndim else float(array)
    if isinstance(x, dict | list | tuple) or (is_dataclass(x) and not isinstance(x, type)):
        return _with_parts_plain(x)
    return x


def _with_parts_plain(x):
    """Itself, or a copy of the same type and attributes."""
    if isinstance(x, dict):
        parts = x
    else:
        named = not isinstance(x, list | tuple)
        parts = {f.name: getattr(x, f.name) for f in fields(x)} if named else dict(enumerate(x))
    new = {key: y for key, part in parts.items() if (y := plain(part)) is not part}
    if not new:
        return x
    if isinstance(x, tuple):
        values = (parts | new).values()
        return type(x)(*values) if hasattr(x, "_fields") else type(x)(values)
    other = copy.copy(x)
    for key, part in new.items():
        if isinstance(x, dict | list):
            other[key] = part
        else:
            object.__setattr__(other, key, part)  # also of a frozen dataclass
    return other


# The loss of a pair of runs
@dataclass(frozen=True)
class Loss:
    """What one quantity loses. epsilon: at most, for all values that move so; ratios: the largest
    logarithms of P/P' and P'/P of its output at these values; realized: that of P/P' at the output
    that was recorded. rho: at most, of zCDP. mu2: of Gaussian noise, (movement/sigma)^2 in all.
    declared: by how much the program says that an entry may move; entry: by how much one does."""

    name: str
    law: str
    movement: float  # of an entry, or the range of movement for an argmax
    scale: float
    epsilon: float
    rho: float
    ratios: tuple[float, float]
    realized: float = 0.0
    mu2: float = 0.0
    declared: float | None = None
    entry: float = 0.0


def losses(first: Sequence[Event], second: Sequence[Event]) -> list[Loss]:
    """The losses of the quantities that move between two runs with the same outputs."""
    if len(second) < len(first):
        raise Diverged(f"it does not noise {first[len(second)].name}")
    parts, used = [], {}
    for before, after in _without_repeats(first, second):
        if before.kind == "draw":
            if not np.array_equal(before.value, after.value):
                parts.append(_drawn(before, after))
            continue
        if not _equal(before.compared, after.compared):
            raise Diverged(f"{before.name} is compared with several quantities that move")
        if not np.array_equal(before.scale, after.scale):
            text = f"the noise of {before.name} has another scale: it depends on the data"
            raise Unequal(text, False) if before.kind == "release" else Diverged(text)
        if np.array_equal(before.value, after.value) and not before.draws:
            continue
        move = np.zeros_like(before.value)
        np.subtract(after.value, before.value, out=move, where=before.value != after.value)
        sure = not before.whole and used.keys().isdisjoint(map(abs, before.draws))
        steps = np.divide(move, before.scale, out=np.zeros_like(move), where=before.scale > 0)
        for draw, step in zip(before.draws, steps.ravel().tolist(), strict=bool(before.draws)):
            step *= 1 if draw > 0 else -1
            if used.setdefault(abs(draw), step) != step:
                raise Unequal(f"{before.name} has noise that has been used before", True)
        loss = _argmax(before, after, move) if before.kind == "argmax" else _release(before, move)
        if loss.entry:
            parts.append(loss if sure else replace(loss, ratios=(0.0, 0.0), realized=0.0))
    return parts


def _equal(first: list, second: list) -> bool:
    return len(first) == len(second) and all(map(np.array_equal, first, second))


def _drawn(before: Event, after: Event) -> Loss:
    """Of outcomes that are drawn with probabilities: exact."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.nan_to_num(np.log(before.value) - np.log(after.value), nan=0.0,
                             posinf=np.inf, neginf=-np.inf)  # fmt: skip
    move, epsilon, ratios = np.abs(after.value - before.value), float(np.abs(logs).max()), (
        float(logs.max()), float((-logs).max()))  # fmt: skip
    realized = float(logs[before.output])
    return _loss(before, move, float(move.max()), epsilon, epsilon**2 / 2, ratios, realized)


def chances(event: Event) -> np.ndarray:
    """The probabilities of the outcomes of a choice."""
    if event.kind == "draw":
        return event.value
    scales = set(np.ravel(event.scale).tolist())
    choice = event.kind == "argmax" and event.count is None and event.law in SELECTIONS
    if (
        not choice
        or event.value.ndim > 1
        or len(event.value) > MOST_EXACT
        or len(scales) != 1
        or 0 in scales
    ):
        raise OverflowError("no law of a choice is known")
    p, allowed = np.zeros(len(event.value)), np.isfinite(event.value)
    p[allowed] = winners(tuple(event.value[allowed].tolist()), *scales, event.law)
    return p


@lru_cache(maxsize=100_000)
def winners(scores: tuple, scale: float, law: str) -> list[float]:
    with precision(start_bits(len(scores))):
        return [float(p) for p in selection_probabilities(scores, scale, law)]


def _without_repeats(first, second):
    """Pairs of events. An argmax of noise that is released, too, counts as a release of all of it,
    and the release of some of it as a part of that."""
    released = {draw for event in first if event.kind == "release" for draw in event.draws}
    whole = {}
    for event in first:
        if event.kind == "argmax" and released & set(event.draws):
            whole |= dict(zip(event.draws, event.value.tolist(), strict=True))
    for before, after in zip(first, second, strict=True):
        if before.kind == "argmax" and released & set(before.draws):
            yield replace(before, kind="release", whole=True), replace(after, kind="release")
            continue
        own = dict(zip(before.draws, before.value.ravel().tolist(), strict=bool(before.draws)))
        if not own or not own.items() <= whole.items():
            yield before, after


def _loss(event: Event, move, movement, epsilon, rho, ratios, realized=0.0, mu2=0.0) -> Loss:
    scale, entry = float(event.scale.max(initial=0.0)), float(np.abs(move).max(initial=0.0))
    about = (event.sensitivity, entry)
    return Loss(event.name, event.law, movement, scale, epsilon, rho, ratios, realized, mu2, *about)


def _release(event: Event, move: np.ndarray) -> Loss:
    largest = float(np.abs(move).max(initial=0.0))
    with np.errstate(divide="ignore"):
        steps = np.abs(move)[move != 0] / event.scale[move != 0]
    squares = float((steps**2).sum())
    if event.law == "laplace" or not largest:
        epsilon, realized = math.fsum(steps.tolist()), 0.0
        if largest and np.shape(event.output) == move.shape:  # else: the place of an argmax
            noise = event.output - event.value
            ratios = (np.abs(noise - move) - np.abs(noise))[move != 0] / event.scale[move != 0]
            realized = math.fsum(ratios.tolist())
        return _loss(event, move, largest, epsilon, squares / 2, (epsilon, epsilon), realized)
    # exponential and Gumbel noise on a value that is seen give it away
    mu2, infinite = squares if event.law == "gaussian" else math.inf, math.inf
    return _loss(event, move, largest, infinite, mu2 / 2, (infinite, infinite), 0.0, mu2)


def _argmax(before: Event, after: Event, move: np.ndarray) -> Loss:
    if move.ndim == 2:  # one of the rows is shown
        first, second = (
            [
                replace(event, value=value, scale=scale, output=output)
                for value, scale, output in zip(event.value, event.scale, event.output, strict=True)
            ]
            for event in (before, after)
        )
        return max(map(_argmax, first, second, move), key=lambda loss: loss.epsilon)
    allowed = np.isfinite(before.value)
    if not np.array_equal(allowed, np.isfinite(after.value)):
        raise Diverged(f"which scores of {before.name} are allowed depends on the data")
    scale, k = before.scale[0] if before.scale.size else 0.0, before.count or 1
    if before.law not in SELECTIONS or np.ptp(before.scale) > 0:
        return _release(replace(before, kind="release"), move)
    move = move[allowed]
    most = float(np.ptp(move))
    if most == 0 or scale == 0:
        lost = math.inf if most else 0.0
        return _loss(before, move, most, lost, lost, (lost, lost))
    behind = [np.sort(x)[::-1][:k].sum() for x in (move.max() - move, move - move.min())]
    epsilon, ratios, realized = float(max(behind) / scale), (0.0, 0.0), 0.0
    rho = k * (most / scale) ** 2 / 8 if before.law == "gumbel" else epsilon**2 / 2
    if before.count is None and len(move) <= MOST_EXACT:
        scores = (x.value[allowed] - x.value[allowed].min() for x in (before, after))
        ratios, logs = winner_loss(*(tuple(x.tolist()) for x in scores), float(scale), before.law)
        realized = logs[int(allowed[: before.output].sum())]
    return _loss(before, move, most, epsilon, float(rho), ratios, realized)


@lru_cache(maxsize=100_000)
def winner_loss(before: tuple, after: tuple, scale: float, law: str):
    """((the largest ln P/P' and ln P'/P of the winner at these scores, rounded down), ln P/P' of
    each winner)."""
    with precision(start_bits(len(before))):
        p, q = (selection_probabilities(x, scale, law) for x in (before, after))
        most = lower(max_divergence(p, q)), lower(max_divergence(q, p))
        return most, [float(a.log() - b.log()) for a, b in zip(p, q, strict=True)]
