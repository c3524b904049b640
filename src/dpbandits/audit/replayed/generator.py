"""A NumPy generator, and a noise port, that record; and np.random's and random's functions in it."""

import contextlib
import random
from unittest import mock

import numpy as np
from scipy.stats import binom

from dpbandits.audit.replayed.noisy import Noisy, Scalar, Uniform, array, floats, largest
from dpbandits.audit.replayed.tape import Tape, line

LAWS = {"laplace": "laplace", "normal": "gaussian", "gumbel": "gumbel"}
BLIND = 200  # integers from as many are outcomes that can be enumerated


class Recorder(np.random.Generator):
    """What it draws beside noise, choices and coins is noted."""

    def __init__(self, tape: Tape):
        super().__init__(np.random.Philox(int(tape.rng.integers(2**62))))
        self.tape = tape

    def _noise(self, law, loc, scale, size, one_by_one=True):
        loc, scale = (x if isinstance(x, Scalar) else np.asarray(x) for x in (loc, scale))
        if isinstance(scale, Scalar) or (np.asarray(scale, float) < 0).any():
            scale = np.asarray(float(scale)) if isinstance(scale, Scalar) else scale
            if (scale < 0).any():
                raise ValueError("scale < 0")
        shape = np.broadcast_shapes(np.shape(floats(loc)) if not isinstance(loc, Scalar) else (),
                                    scale.shape, np.shape(np.empty(size or ())))  # fmt: skip
        scales = np.broadcast_to(scale, shape).astype(float)
        noise = [Noisy(self.tape, 0.0, {self.tape.unit(law): float(b)}) for b in scales.ravel()]
        if not shape:
            return noise[0] + (loc if isinstance(loc, Scalar) else loc[()])
        made = np.empty(len(noise), object)
        made[:] = noise
        return array(made.reshape(shape)) + loc

    def laplace(self, loc=0.0, scale=1.0, size=None, *, sensitivity=None, name=""):
        return self._noise("laplace", loc, scale, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self._noise("gaussian", loc, scale, size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        return self._noise("gumbel", loc, scale, size)

    def standard_normal(self, size=None, dtype=float, out=None):
        return self._noise("gaussian", 0.0, 1.0, size)

    def exponential(self, scale=1.0, size=None):
        return self._noise("exponential", 0.0, scale, size)

    def standard_exponential(self, size=None, *more):
        return self._noise("exponential", 0.0, 1.0, size)

    def geometric(self, p, size=None):
        def one():
            rate = float(-np.log1p(-p))
            return Noisy(t, 0.0, {t.unit("geometric", rate, int(t.rng.geometric(p))): 1.0})

        t = self.tape
        return one() if size is None else array([one() for _ in range(np.prod(size))])

    def random(self, size=None, *more):
        if size is None:
            return Uniform(self.tape)
        made = np.empty(int(np.prod(size)), object)
        made[:] = [Uniform(self.tape) for _ in made]
        return array(made.reshape(size))

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
        if more or not (replace or size is None):
            return _noted("choice")(self, a, size, replace, p, **more)
        kind = "blind" if p is None else "draw"
        q = np.full(len(items), 1 / len(items)) if p is None else floats(np.asarray(p))
        q = np.asarray(q, float)
        if abs(q.sum() - 1) > 1e-6:
            raise ValueError("probabilities do not sum to 1")
        drawn = [self.tape.draw(q, kind) for _ in range(int(np.prod(size or 1)))]
        return items[drawn[0]] if size is None else items[np.reshape(drawn, size)]

    # The methods of a noise port
    def gaussian(self, value, scale, *, sensitivity=1, name=""):
        noise = self._noise("gaussian", value, scale, None)
        return floats(noise)

    def argmax(self, scores, scale, law="laplace", *, count=None, sensitivity=1, name=""):
        scores = np.asarray(floats(np.asarray(scores)), float)
        if scores.ndim == 2:
            return np.array([self.argmax(row, scale, law, count=count) for row in scores])
        noisy = self._noise(law, scores, scale, None)
        if not len(noisy):
            raise ValueError("no scores")
        chosen = largest(noisy.tolist(), count or 1)
        return np.array(chosen) if count else chosen[0]

    def exponential_mechanism(self, scores, scale, *, sensitivity=1, name=""):
        return self.argmax(scores, scale, "gumbel")

    def bernoulli(self, p, *, name=""):
        p = np.clip(np.asarray(p, float), 0, 1)
        drawn = [self.tape.draw([1 - q, q]) == 1 for q in p.ravel()]
        return np.array(drawn).reshape(p.shape) if p.ndim else drawn[0]


def _noted(name):
    def method(self, *arguments, **keywords):
        self.tape.unseen.add(f"{name} ({line()})")
        return getattr(np.random.Generator, name)(self, *arguments, **keywords)

    return method


for _name in dir(np.random.Generator):
    if _name not in vars(Recorder) and not _name.startswith("_") and _name != "bit_generator":
        setattr(Recorder, _name, _noted(_name))


class Port:
    """A learner's noise port: what it noises is released at once."""

    def __init__(self, tape: Tape):
        self.recorder = Recorder(tape)

    def laplace(self, value, scale, *, sensitivity=1, name=""):
        return floats(self.recorder._noise("laplace", value, scale, None))

    def __getattr__(self, name):
        return getattr(self.recorder, name)


@contextlib.contextmanager
def recorded(tape: Tape, *modules):
    """Within it the functions of np.random and random (or of these modules) are the recorder's."""
    r, own = Recorder(tape), np.random.default_rng
    names = ("laplace", "normal", "standard_normal", "gumbel", "exponential", "geometric", "choice",
             "binomial", "standard_exponential", "uniform")  # fmt: skip
    new = {name: getattr(r, name) for name in names} | {
        "random": r.random,
        "rand": lambda *s: r.random(s or None),
        "randint": r.integers,
    }
    new["default_rng"] = lambda seed=None: r if seed is None else own(seed)
    more = {"random": r.random, "gauss": r.normal, "normalvariate": r.normal,
            "expovariate": lambda rate: r.exponential(1 / rate)}  # fmt: skip
    old = {id(getattr(np.random, x)): y for x, y in new.items()} | {
        id(getattr(random, x)): y for x, y in more.items()
    }
    with contextlib.ExitStack() as stack:
        for module in modules:  # names that they imported
            for name, value in vars(module).copy().items():
                if id(value) in old:
                    stack.enter_context(mock.patch.object(module, name, old[id(value)]))
        stack.enter_context(mock.patch.multiple(np.random, **new))
        stack.enter_context(mock.patch.multiple(random, **more))
        yield r
