"""A NumPy generator and a noise port that record, and the functions of np.random and random."""

import builtins
import contextlib
import math
import random

import numpy as np
from scipy.stats import binom

from dpbandits.audit.replayed.noisy import (
    Chosen,
    Noisy,
    Scalar,
    Uniform,
    array,
    floats,
    largest,
    viewed,
)
from dpbandits.audit.replayed.tape import Tape, line
from dpbandits.audit.sampled.processes import INSIDE

BLIND = 200  # integers from as many are outcomes that can be enumerated


def _drawing(law):
    def method(self, loc=0.0, scale=1.0, size=None, *, sensitivity=None, name=""):
        return self.noised(law, loc, scale, size)

    return method


class Recorder(np.random.Generator):
    """What it draws beside noise, choices and coins is noted."""

    usual = math.inf  # how far a value may move if a program does not say it

    def __init__(self, tape: Tape):
        super().__init__(np.random.Philox(int(tape.rng.integers(2**62))))
        self.tape = tape

    laplace, normal = _drawing("laplace"), _drawing("gaussian")
    gumbel, logistic = _drawing("gumbel"), _drawing("logistic")

    def noised(self, law, loc, scale, size=None):
        """loc + noise, a noisy number or an array of them."""
        scale = np.asarray(floats(scale), float)
        if (scale < 0).any():
            raise ValueError("scale < 0")  # as NumPy does
        loc = loc if isinstance(loc, Scalar) else np.asarray(viewed(loc))
        shape = np.broadcast_shapes(np.shape(loc) if isinstance(loc, np.ndarray) else (),
                                    scale.shape, np.shape(np.empty(size or ())))  # fmt: skip
        scales, where = np.broadcast_to(scale, shape).ravel().tolist(), line()
        units = [self.tape.unit(law, where=where) for _ in scales]
        noise = [Noisy(self.tape, 0.0, {i: b}) for i, b in zip(units, scales, strict=True)]
        if not shape:
            return noise[0] + (loc if isinstance(loc, Scalar) else loc[()])
        return _shaped(noise, shape) + loc

    def standard_normal(self, size=None, dtype=float, out=None):
        return self.noised("gaussian", 0.0, 1.0, size)

    def exponential(self, scale=1.0, size=None):
        return self.noised("exponential", 0.0, scale, size)

    def standard_exponential(self, size=None, *more):
        return self.noised("exponential", 0.0, 1.0, size)

    def geometric(self, p, size=None):
        rates = np.broadcast_to(-np.log1p(-np.asarray(p, float)), np.shape(np.empty(size or ())))
        tape = self.tape
        noise = [
            Noisy(tape, 0.0, {tape.unit("geometric", rate, int(tape.rng.geometric(q))): 1.0})
            for rate, q in zip(rates.ravel().tolist(), -np.expm1(-rates.ravel()), strict=True)
        ]
        return _shaped(noise, rates.shape) if rates.shape else noise[0]

    def random(self, size=None, *more):
        shape = np.shape(np.empty(size or ()))
        coins = [Uniform(self.tape) for _ in range(math.prod(shape))]
        return _shaped(coins, shape) if shape else coins[0]

    def uniform(self, low=0.0, high=1.0, size=None):
        if (low, high) == (0, 1):
            return self.random(size)
        if size is None and np.ndim(low) == np.ndim(high) == 0:
            return low + (high - low) * self.random()
        return _noted("uniform")(self, low, high, size)

    def integers(self, low, high=None, size=None, *more, **other):
        low, high = (0, low) if high is None else (low, high)
        count = high - low + bool(other.get("endpoint")) if np.ndim(high) == 0 else 0
        if size is None and not more and 0 < count <= BLIND:
            return low + self.tape.draw(np.full(int(count), 1 / count), "blind")
        return _noted("integers")(self, low, high, size, *more, **other)

    def binomial(self, n, p, size=None):
        if np.ndim(n) or n > BLIND:
            return _noted("binomial")(self, n, p, size)
        rows = np.broadcast_to(p, np.shape(p) if size is None else size)
        drawn = [self.tape.draw(binom.pmf(np.arange(n + 1), n, q)) for q in rows.ravel()]
        return np.array(drawn, int).reshape(rows.shape) if rows.shape else int(drawn[0])

    def choice(self, a, size=None, replace=True, p=None, **more):
        items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        count, again = int(np.prod(size or 1)), replace or size is None
        if more or not (again or (p is None and count <= len(items))):
            return _noted("choice")(self, a, size, replace, p, **more)
        kind = "blind" if p is None else "draw"
        q = np.full(len(items), 1 / len(items)) if p is None else floats(np.asarray(p))
        q = np.asarray(q, float)
        if abs(q.sum() - 1) > 1e-6:
            raise ValueError("probabilities do not sum to 1")
        left, drawn = list(range(len(items))), []
        for _ in range(count):
            place = self.tape.draw(q if again else np.full(len(left), 1 / len(left)), kind)
            drawn.append(place if again else left.pop(place))
        return items[drawn[0]] if size is None else items[np.reshape(drawn, size)]

    # The methods of a noise port
    def gaussian(self, value, scale, *, sensitivity=None, name=""):
        return self.released(self.noised("gaussian", value, scale), sensitivity)

    def released(self, noisy, sensitivity):
        start, shown = len(self.tape.events), floats(noisy)
        limit = self.usual if sensitivity is None else sensitivity
        limits = np.broadcast_to(limit, np.shape(shown)).ravel().tolist()
        self.tape.declared |= {start + k: limit for k, limit in enumerate(limits)}
        return shown

    def argmax(self, scores, scale, law="laplace", *, count=None, sensitivity=None, name=""):
        scores = np.asarray(floats(viewed(scores)), float)
        limit = float(np.max(self.usual if sensitivity is None else sensitivity))
        if scores.ndim == 2:
            rows = [Chosen(self.noised(law, row, scale).tolist(), limit) for row in scores]
            return _shaped(rows, (len(rows),))
        if not len(scores):
            raise ValueError("no scores")
        self.tape.declared[len(self.tape.events)] = limit
        chosen = largest(self.noised(law, scores, scale).tolist(), count or 1)
        return np.array(chosen) if count else chosen[0]

    def exponential_mechanism(self, scores, scale, *, sensitivity=None, name=""):
        return self.argmax(scores, scale, "gumbel", sensitivity=sensitivity)

    def bernoulli(self, p, *, name=""):
        p = np.clip(np.asarray(p, float), 0, 1)
        drawn = [self.tape.draw([1 - q, q]) == 1 for q in p.ravel()]
        return np.array(drawn).reshape(p.shape) if p.ndim else drawn[0]


def _shaped(values: list, shape):
    made = np.empty(len(values), object)
    made[:] = values
    return array(made.reshape(shape))


def _noted(name, function=None):
    """A method that draws as NumPy does, and says so."""

    def method(self, *arguments, **keywords):
        self.tape.unseen.add(f"{name} ({line()})")
        if function:
            return function(*arguments, **keywords)
        return getattr(np.random.Generator, name)(self, *arguments, **keywords)

    return method


for _name in dir(np.random.Generator):
    if _name not in vars(Recorder) and not _name.startswith("_") and _name != "bit_generator":
        setattr(Recorder, _name, _noted(_name))


class Port(Recorder):
    """A learner's noise port: what it noises is released at once."""

    usual = 1.0

    def laplace(self, value, scale, *, sensitivity=None, name=""):
        return self.released(self.noised("laplace", value, scale), sensitivity)


# The functions of numpy.random and of random
OLD = ("laplace", "normal", "standard_normal", "gumbel", "logistic", "exponential", "geometric",
       "choice", "binomial", "standard_exponential", "uniform")  # fmt: skip


def _functions(r: Recorder) -> dict:
    """{module: {name: what stands in for it}}; of what else these modules draw it is said so."""
    own = np.random.default_rng
    new = {name: getattr(r, name) for name in OLD}
    new |= dict.fromkeys(("random", "random_sample", "ranf", "sample"), r.random)
    new["rand"] = lambda *shape: r.random(shape or None)
    new["randn"] = lambda *shape: r.normal(size=shape or None)
    new["randint"] = r.integers
    new["default_rng"] = lambda seed=None: r if seed is None or seed is r else own(seed)
    plain = {"random": r.random, "gauss": r.normal, "normalvariate": r.normal,
             "uniform": r.uniform, "randint": lambda a, b: r.integers(a, b + 1),
             "expovariate": lambda rate=1.0: r.exponential(1 / rate),
             "choice": lambda items: items[r.integers(len(items))],
             "randrange": r.integers}  # fmt: skip
    both = {np.random: new, random: plain}
    for module, known in both.items():
        for name, function in vars(module).items():
            if name[0].islower() and callable(function) and name not in known:
                known[name] = _noted(name, function).__get__(r)
    return both


def _best(function, sign):
    """max or min, which among noisy numbers shows the largest, not who was ahead on the way."""

    def call(*items, key=None, **default):
        items = list(items[0] if len(items) == 1 else items)
        keys = items if key is None else [key(x) for x in items]
        if len(keys) > 1 and all(isinstance(x, Noisy) for x in keys):
            return items[largest([sign * x for x in keys])[0]]
        if not items:
            return function(items, **default)
        return items[function(range(len(items)), key=keys.__getitem__)]

    return call


def _arrays() -> dict:
    made = {name: getattr(np, name) for name in ("array", "asarray")}
    asked = {name: getattr(np, name) for name in ("argmax", "argmin")}
    new = {k: lambda x, *a, f=f, **b: viewed(f(x, *a, **b)) for k, f in made.items()}
    return new | {k: lambda x, *a, f=f, **b: f(viewed(x), *a, **b) for k, f in asked.items()}


@contextlib.contextmanager
def recorded(tape: Tape):
    """Within it the functions of np.random and random are those of the recorder, which it gives."""
    recorder = Recorder(tape)
    new = _functions(recorder)
    known = {id(getattr(m, k)): f for m, names in new.items() for k, f in names.items()}
    for module in INSIDE:
        new[module] = {k: known[id(v)] for k, v in vars(module).items() if id(v) in known}
    new |= {np: _arrays(), builtins: {"max": _best(max, 1), "min": _best(min, -1)}}
    old = {module: {name: vars(module)[name] for name in names} for module, names in new.items()}
    try:
        for module, names in new.items():
            vars(module).update(names)
        yield recorder
    finally:
        for module, names in old.items():
            vars(module).update(names)
