"""Numbers that remember their noise: base + a linear function of draws. A linear operation keeps
it, a comparison is recorded, all else releases the number."""

import math
import operator

import numpy as np

from dpbandits.audit.sampled.outcomes import Standin

LINEAR = {np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive}
TRUTHS = {np.less, np.less_equal, np.greater, np.greater_equal}
COMPARED = TRUTHS | {np.maximum, np.minimum}


def apply(self, ufunc, method, *inputs, out=None, **keywords):
    """`__array_ufunc__`: what NumPy does with these numbers."""
    if ufunc in LINEAR | COMPARED:
        inputs = [x.view(np.ndarray) if isinstance(x, NoisyArray) else x for x in inputs]
        if method == "__call__":
            inputs = [_object(x) for x in inputs]
    else:
        inputs = [floats(x) for x in inputs]
    result = getattr(ufunc, method)(*inputs, **keywords)
    if isinstance(result, np.ndarray) and result.dtype == object:
        result = result.astype(bool) if ufunc in TRUTHS else result.view(NoisyArray)
    if out is None:
        return result
    (target,) = out
    if isinstance(target, Scalar) or np.ndim(target) == 0:
        return result
    target[...] = result
    return target


class Scalar(Standin):
    """What `float` releases; the base of both kinds of numbers."""

    __slots__ = ()
    __array_ufunc__ = apply

    def __array_function__(self, function, types, arguments, keywords):
        if function is np.searchsorted and len(arguments) == 2 and not keywords:
            ends, value = arguments
            return next((k for k, end in enumerate(ends) if value < end), len(ends))
        return function(*map(floats, arguments), **keywords)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.float64(float(self)), name)

    def __repr__(self):
        return repr(float(self))

    def __format__(self, how):
        return format(float(self), how)

    def __round__(self, digits=None):
        return round(float(self), digits)

    def __hash__(self):
        return hash(float(self))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _released(function):
    def method(self, *others):
        return function(*(float(x) if isinstance(x, Scalar) else x for x in (self, *others)))

    return method


_BUILT_IN = {"int": int, "bool": bool, "complex": complex, "divmod": divmod, "abs": abs}
_TWICE = ("floordiv", "mod", "pow", "truediv", "add", "sub", "mul")
_ONCE = ("int", "trunc", "floor", "ceil", "bool", "abs", "eq", "ne", "complex", "divmod", "lt",
         "gt", "neg")  # fmt: skip
for _name in (*_ONCE, *_TWICE):
    _function = _BUILT_IN.get(_name) or getattr(math, _name, None) or getattr(operator, _name)
    setattr(Scalar, f"__{_name}__", _released(_function))
    if _name in _TWICE:
        setattr(Scalar, f"__r{_name}__", _released(lambda x, y, f=_function: f(y, x)))
Scalar.__le__, Scalar.__ge__ = Scalar.__lt__, Scalar.__gt__


def _linear(function):
    return lambda x, y: function(x, y) if plain(y) else NotImplemented


def _scaled(function, by):
    """Of two noisy numbers the product or quotient releases both."""

    def method(x, y):
        if isinstance(y, Scalar):
            return function(float(x), float(y))
        return by(x, float(y)) if plain(y) else NotImplemented

    return method


class Noisy(Scalar):
    __slots__ = ("base", "parts", "tape")

    def __init__(self, tape, base, parts):
        self.tape, self.base, self.parts = tape, float(base), parts

    def __float__(self):
        """It is a plain number from now on."""
        if self.parts:
            self.base, self.parts = self.tape.release(self.base, self.parts), {}
        return self.base

    def plus(self, other, factor=1.0, own=1.0):
        """own * self + factor * other"""
        parts = {i: own * c for i, c in self.parts.items()}
        base = factor * (other.base if isinstance(other, Noisy) else float(other))
        for i, c in getattr(other, "parts", {}).items():
            parts[i] = parts.get(i, 0.0) + factor * c
        # a coefficient of 0 stays, so that a factor that data decide has the same draws
        return Noisy(self.tape, own * self.base + base, parts)

    __add__ = __radd__ = _linear(lambda x, y: x.plus(y))
    __sub__ = _linear(lambda x, y: x.plus(y, -1.0))
    __rsub__ = _linear(lambda x, y: x.plus(y, 1.0, -1.0))
    __mul__ = __rmul__ = _scaled(operator.mul, lambda x, c: x.plus(0.0, 1.0, c))
    __truediv__ = _scaled(operator.truediv, lambda x, c: x.plus(0.0, 1.0, 1 / c))

    def __neg__(self):
        return self.plus(0.0, 1.0, -1.0)

    def __pos__(self):
        return self

    def __gt__(self, other):
        if not plain(other):
            return NotImplemented
        difference = self - other
        if not any(difference.parts.values()) or math.isinf(difference.base):
            return difference.base > 0
        return self.tape.above(difference.base, difference.parts)

    def __lt__(self, other):
        return (-self) > (-other) if plain(other) else NotImplemented

    def __ge__(self, other):
        return self > other

    def __le__(self, other):
        return self < other

    __hash__ = Scalar.__hash__


class Uniform(Scalar):
    """A number from [0, 1): whether it is below p is a coin, which narrows its range; any other use
    draws it, unseen."""

    __slots__ = ("high", "low", "name", "number", "tape")

    def __init__(self, tape):
        self.tape, self.low, self.high, self.number = tape, 0.0, 1.0, None

    def __float__(self):
        if self.number is None:
            self.tape.unseen.add("random")
            self.number = self.low + self.tape.rng.random() * (self.high - self.low)
        return self.number

    def __lt__(self, p):
        if self.number is not None or not plain(p):
            return float(self) < p
        p = min(max(float(p), self.low), self.high)
        share = (p - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        below = bool(self.tape.draw([1 - share, share]))
        self.low, self.high = (self.low, p) if below else (p, self.high)
        return below

    def __gt__(self, p):
        return not self < p

    __le__, __ge__, __hash__ = __lt__, __gt__, Scalar.__hash__


class Chosen(Scalar):
    """The place of the largest noisy score: chosen when it is used, and released by that."""

    __slots__ = ("limit", "noisy", "number")

    def __init__(self, noisy: list, limit: float):
        self.noisy, self.limit, self.number = noisy, limit, None

    def __float__(self):
        if self.number is None:
            tape = self.noisy[0].tape
            tape.declared[len(tape.events)] = self.limit
            self.number = float(largest(self.noisy)[0])
        return self.number

    def __index__(self):
        return int(float(self))

    __hash__ = Scalar.__hash__


def plain(x) -> bool:
    return not isinstance(x, np.ndarray | list | tuple | str) and x is not None


class NoisyArray(np.ndarray):
    """An array of objects, some of which are `Scalar`."""

    __array_ufunc__ = apply

    def __array_function__(self, function, types, arguments, keywords):
        """What NumPy cannot do with objects is done with the numbers, which releases them."""
        try:
            found = super().__array_function__(function, types, arguments, keywords)
        except TypeError:
            return function(*map(floats, arguments), **keywords)
        objects = isinstance(found, np.ndarray) and found.dtype == object
        return found.view(NoisyArray) if objects else found

    def argmax(self, axis=None, out=None, **more):
        if axis in (None, -1, 0) and self.ndim == 1 and all(isinstance(x, Noisy) for x in self):
            return np.int64(largest(self.tolist())[0])
        return floats(self).argmax(axis)

    def argmin(self, axis=None, out=None, **more):
        return (-self).argmax(axis)

    def round(self, decimals=0, out=None):
        return floats(self).round(decimals)

    def astype(self, dtype, **more):
        return floats(self).astype(dtype, **more)

    def mean(self, axis=None, *a, **k):
        return self.sum(axis) / (self.size if axis is None else self.shape[axis])

    @property
    def dtype(self):  # as the program's own would be
        return np.dtype(float)


def array(rows) -> NoisyArray:
    return np.array(rows, object).view(NoisyArray)


def largest(noisy: list, k: int = 1) -> list[int]:
    """The places of the k largest: what is shown by an argmax, not by comparisons one by one."""
    if not any(x.parts for x in noisy):
        return sorted(range(len(noisy)), key=lambda i: -noisy[i].base)[:k]
    return noisy[0].tape.order([(x.base, x.parts) for x in noisy], k)


def floats(x):
    if isinstance(x, Scalar):
        return float(x)
    if isinstance(x, NoisyArray):
        return np.array([float(y) for y in x.view(np.ndarray).ravel()]).reshape(x.shape)
    return x


def viewed(x):
    """Lists and arrays of noisy numbers as such an array, all else as it is."""
    if isinstance(x, list | tuple) and any(isinstance(y, Scalar) for y in x):
        return array(x)
    if isinstance(x, np.ndarray) and x.dtype == object and not isinstance(x, NoisyArray):
        return x.view(NoisyArray) if any(isinstance(y, Scalar) for y in x.ravel()) else x
    return x


def _object(x):
    return x.item() if isinstance(x, np.generic) else np.asanyarray(x, object)
