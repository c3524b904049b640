"""Stand-ins for a NumPy generator and its random numbers, which record.

The noise of `RecordedGenerator` remembers what is added to it, until it is used in another way; its
uniform numbers remember with what they are compared.
"""

import numpy as np

from dpbandits.audit.recorded.tape import Event, RecordedNoise, Tape, arrays, line

COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal)
MIRRORED = {"exponential": "-exponential", "gumbel": "-gumbel"}


class NotedGenerator:
    """A NumPy generator that notes which of its methods are called, and where."""

    def __init__(self, tape: Tape, other: np.random.Generator):
        self.tape, self.other = tape, other

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.tape.unseen.add(f"{name} ({line()})")
        return getattr(self.other, name)


class RecordedGenerator(NotedGenerator):
    """Stands in for `numpy.random.Generator`; it also has the methods of a noise port.

    Seen: `laplace`, `normal`, `standard_normal`, `gumbel`, `exponential`, whose noise is added to
    data or given them as `loc`, and argmax of the sum; `choice` with probabilities; `random` that
    is only compared, `binomial` of one trial. All other random numbers are drawn as usual, the
    same in both runs, and noted.
    """

    def __init__(self, tape: Tape, other: np.random.Generator):
        super().__init__(tape, other)
        self.port, self.drawn = RecordedNoise(tape), 0
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

    def random(self, size=None):
        return Uniform(self, np.zeros(size or ()), np.ones(size or ()), line())

    def binomial(self, n, p, size=None):
        if not np.all(np.equal(n, 1)):
            return self.__getattr__("binomial")(n, p, size)
        drawn = self.bernoulli(np.broadcast_to(p, np.shape(p) if size is None else size))
        return drawn.astype(int) if isinstance(drawn, np.ndarray) else int(drawn)

    def choice(self, a, size=None, replace=True, p=None, **more):
        if p is None or more or not (replace or size is None):
            return self.__getattr__("choice")(a, size, replace, p, **more)
        items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        probabilities = np.broadcast_to(
            np.asarray(p, float), (*np.shape(np.empty(size or ())), len(items))
        )
        return items[self.tape.draw(probabilities, "choice", line())]

    def _noise(self, law, loc, scale, size, name="", sensitivity=None):
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale), np.shape(np.empty(size or ())))
        value, scales = arrays(np.broadcast_to(np.asarray(loc, float), shape), scale)
        noise = self.tape.noise(law, scales, shape)
        first, self.drawn = self.drawn, self.drawn + max(1, noise.size)
        draws = 1 + np.arange(first, self.drawn).reshape(shape)
        bare = type(loc) in (int, float) and loc == 0
        name = name or line()
        return Noised(self.tape, law, value, scales, noise, draws, name, sensitivity, bare=bare)


class Standin(np.lib.mixins.NDArrayOperatorsMixin):
    """Stands in for a number or an array, which `__array__` gives away."""

    def __array_function__(self, function, types, arguments, keywords):
        return function(*plain(arguments), **plain(keywords))

    def __getitem__(self, index):
        return np.asarray(self)[index]

    def __len__(self):
        return len(np.asarray(self))

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

    def __deepcopy__(self, memo):  # a copy of an output has numbers alone
        return plain(self)


class Uniform(Standin):
    """Numbers from [0, 1): whether one is below p is a Bernoulli outcome, and narrows its range;
    any other use draws it, unseen."""

    def __init__(self, generator: RecordedGenerator, low, high, name: str):
        self.generator, self.low, self.high, self.name = generator, low, high, name
        self.drawn = None

    def __array__(self, dtype=None, copy=None):
        if self.drawn is None:
            self.generator.tape.unseen.add(f"random ({self.name})")
            share = self.generator.other.random(np.shape(self.low))
            self.drawn = np.asarray(self.low + share * (self.high - self.low))
        return self.drawn.astype(dtype) if dtype else self.drawn

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if ufunc in COMPARISONS and self.drawn is None:
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


class Noised(Standin):
    """A value plus noise: constants are added and multiplied, an argmax is its place, and any other
    use releases it. Where it is only compared with a number, the difference is released.

    draws: which draws of noise it has; bare: no value has been added yet; whole: its value is
    that of two noises, so that its loss is not attained."""

    def __init__(self, tape, law, value, scale, noise, draws, name, sensitivity=None, whole=False,
                 bare=False):  # fmt: skip
        self.tape, self.law, self.value, self.scale = tape, law, value, scale
        self.noise, self.draws, self.name, self.sensitivity = noise, draws, name, sensitivity
        self.whole, self.bare, self.released, self.event = whole, bare, None, None

    def moved(self, value, factor=1.0, bare=False):
        """With another value, and noise times the factor."""
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
            value = np.array(self.value - offset, float)
            about = {"sensitivity": self.sensitivity, "whole": self.whole}
            more = {"offset": offset, "escaped": False}
            self.event = self._event("release", value, value + self.noise, **about, **more)
            self.released = np.asarray(self.tape.add(self.event) + offset, float)
        return self.released

    def _event(self, kind, value, output, **more) -> Event:
        scale, draws = np.array(self.scale, float), tuple(self.draws.ravel().tolist())
        return Event(kind, self.law, value, scale, output, self.name, draws=draws, **more)

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
        alone = small.moved(np.zeros_like(small.noise)).number()
        total = large.moved(large.value + small.value + alone)
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
        value = np.array(self.value, float)
        return self.tape.add(self._event("argmax", value, int(np.argmax(value + self.noise))))

    def __getitem__(self, index):
        if self.released is not None:
            return super().__getitem__(index)
        parts = (np.asarray(x)[index] for x in (self.value, self.scale, self.noise, self.draws))
        name = f"{self.name}[{index}]"
        about = name, self.sensitivity, self.whole, self.bare
        return Noised(self.tape, self.law, *map(np.asarray, parts), *about)

    def __len__(self):
        return len(self.value)


def plain(x):
    """The arguments of a call, each stand-in replaced by its number or array."""
    if isinstance(x, Standin):
        array = np.asarray(x)
        return array if array.ndim else float(array)
    if isinstance(x, list | tuple):
        return (list if isinstance(x, list) else tuple)(map(plain, x))
    return {key: plain(y) for key, y in x.items()} if isinstance(x, dict) else x
