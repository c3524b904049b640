"""NumPy's generators in compiled code: the same bits as from a `Generator`, in a third of the time.

NumPy and numba call a generator through a pointer for every word, and branch on the random sign of
a number. Here words come in blocks, and all is inlined. A loan takes over a generator's state and
gives it back behind the last word used, so that borrowed and other draws may alternate:

    with borrowed(rng) as fast:
        compiled(fast, ...)  # there: fast.standard_normal(), as with rng itself

The ziggurats' tables are numba's, which has NumPy's methods; a test compares each with NumPy.
"""

import ctypes
import math
from contextlib import contextmanager
from functools import cache

import numpy as np
from numba import types
from numba.extending import overload_method
from numba.np.random import _constants as tables

from dpbandits.core.compiled import jit
from dpbandits.core.source import (
    BLOCK,
    INLINED,
    PLACE,
    WORDS,
    Source,
    SourceType,
    U,
    give_back,
    inlined,
    lend,
    refill,
    word,
)

FEW = 800  # numbers from which on a loan pays
WI, KI, FI = tables.wi_double, tables.ki_double, tables.fi_double
WE, KE, FE = tables.we_double, tables.ke_double, tables.fe_double
NORMAL_R, NORMAL_INVERSE = tables.ziggurat_nor_r, tables.ziggurat_nor_inv_r
EXPONENTIAL_R = tables.ziggurat_exp_r
SIGN = np.array([1.0, -1.0])
LENT: set[np.random.Generator] = set()
SPARE: list[Source] = []  # those that nobody holds
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


@inlined
def _uniform(s):
    return np.float64(word(s) >> U(11)) * 2.0**-53


@inlined
def _size(r):
    return (r >> U(9)) & U(0x000FFFFFFFFFFFFF)


@inlined
def _in_box(r):
    """Is the normal that a word stands for inside the box of its layer, as all but 1.5% are?"""
    return _size(r) < KI[r & U(255)]


@inlined
def _value(r):
    return np.float64(np.int64(_size(r))) * WI[r & U(255)] * SIGN[(r >> U(8)) & U(1)]


@inlined
def _normal(s):
    r = word(s)
    return _value(r) if _in_box(r) else _normal_beside(s, r)


@jit
def _normal_beside(s, r):
    """What becomes of a word beside the box of its layer: a wedge, the tail, or the next word."""
    while True:
        i, x = r & U(255), _value(r)
        if _in_box(r):
            return x
        while i == U(0):
            x = -NORMAL_INVERSE * np.log1p(-_uniform(s))
            y = -np.log1p(-_uniform(s))
            if y + y > x * x:
                return -(NORMAL_R + x) if (_size(r) >> U(8)) & U(1) else NORMAL_R + x
        if (FI[i - U(1)] - FI[i]) * _uniform(s) + FI[i] < np.exp(-0.5 * x * x):
            return x
        r = word(s)


@inlined
def _exponential(s):
    r = word(s) >> U(3)
    i, size = r & U(255), r >> U(8)
    if size < KE[i]:
        return np.float64(np.int64(size)) * WE[i]
    return _exponential_beside(s, r)


@jit
def _exponential_beside(s, r):
    while True:
        i, size = r & U(255), r >> U(8)
        x = np.float64(np.int64(size)) * WE[i]
        if size < KE[i]:
            return x
        if i == U(0):
            return EXPONENTIAL_R - np.log1p(-_uniform(s))
        if (FE[i - U(1)] - FE[i]) * _uniform(s) + FE[i] < np.exp(-x):
            return x
        r = word(s) >> U(3)


@jit
def _gamma(s, shape):
    """Marsaglia and Tsang; below 1 Ahrens and Dieter, as NumPy has it."""
    if shape == 1.0:
        return _exponential(s)
    while shape < 1.0:
        u, v = _uniform(s), _exponential(s)
        if u <= 1.0 - shape:
            x = u ** (1.0 / shape)
            if x <= v:
                return x
        else:
            y = -math.log((1.0 - u) / shape)
            x = (1.0 - shape + shape * y) ** (1.0 / shape)
            if x <= v + y:
                return x
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * b)
    while True:
        x = _normal(s)
        v = 1.0 + c * x
        while v <= 0.0:
            x = _normal(s)
            v = 1.0 + c * x
        v, u = v * v * v, _uniform(s)
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
            return b * v


@jit
def _normals(s, out):
    """Their place among the words is kept in a register: a sixth less time than one by one."""
    place = s[PLACE]
    for i in range(len(out)):
        if place == U(BLOCK):
            refill(s)
            place = U(0)
        r = s[U(WORDS) + place]
        place += U(1)
        if _in_box(r):
            out[i] = _value(r)
        else:
            s[PLACE] = place
            out[i] = _normal_beside(s, r)
            place = s[PLACE]
    s[PLACE] = place
    return out


@overload_method(SourceType, "standard_normal", jit_options=INLINED)
def _standard_normal(source, size=None, out=None):
    if isinstance(out, types.Array):
        return lambda source, size=None, out=None: _normals(source, out)
    if isinstance(size, types.Integer):
        return lambda source, size=None, out=None: _normals(source, np.empty(size))
    return lambda source, size=None, out=None: _normal(source)


@overload_method(SourceType, "random", jit_options=INLINED)
def _random(source):
    return lambda source: _uniform(source)


@overload_method(SourceType, "standard_exponential", jit_options=INLINED)
def _standard_exponential(source):
    return lambda source: _exponential(source)


@overload_method(SourceType, "chisquare", jit_options=INLINED)
def _chisquare(source, freedom):
    return lambda source, freedom: 2.0 * _gamma(source, freedom / 2.0)


@contextmanager
def borrowed(rng: np.random.Generator):
    """A source for a generator with SFC64 or Philox, which then goes on where the source ends.

    Until then the generator is not to be used, nor borrowed again: a second loan is refused. One of
    another kind is lent itself, which gives the same numbers, later.
    """
    if not _understood(type(rng.bit_generator)):
        yield rng
        return
    if rng in LENT:
        raise RuntimeError("this generator is lent already")
    LENT.add(rng)
    source = SPARE.pop() if SPARE else Source()
    try:
        generator = _lend(source, rng.bit_generator)
        yield source
        give_back(source, generator)
    finally:
        LENT.remove(rng)
        SPARE.append(source)


def _lend(source: Source, bits: np.random.BitGenerator) -> int:
    generator = _pointer(bits.capsule, b"BitGenerator")
    lend(source, generator, isinstance(bits, np.random.Philox))
    return generator


@cache
def _understood(kind: type) -> bool:
    """Does NumPy keep the state of such generators where `source` looks for it? Asked of one."""
    if not issubclass(kind, np.random.SFC64 | np.random.Philox):
        return False
    ours, plain, source = kind(1), kind(1), Source()
    plain.random_raw(ours.random_raw(3).size)  # inside of a block
    generator = _lend(source, ours)
    same = all(_one(source) == plain.random_raw() for _ in range(6))
    give_back(source, generator)
    return same and ours.random_raw() == plain.random_raw()


@jit
def _one(source):
    return word(source)


def normals(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """rng.standard_normal(shape)."""
    if math.prod(shape) < FEW or not _understood(type(rng.bit_generator)):
        return rng.standard_normal(shape)
    out = np.empty(shape)
    with borrowed(rng) as fast:
        _normals(fast, out.reshape(-1))
    return out
