"""The words of NumPy's generators SFC64 and Philox-4x64-10 in compiled code, in blocks.

Their states are read and written where NumPy keeps them: its property `state` takes longer than
many a loan. To compiled code a `Source` is a pointer to its array: numba counts who holds an array,
with an atomic instruction at each call, which is most of the time of a draw.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import (
    NativeValue,
    intrinsic,
    models,
    overload,
    register_model,
    unbox,
)

from dpbandits.core.compiled import jit

BLOCK = 256  # words
# The array: how many of its words are used, whether it is Philox, where the generator stood before
# and after it made them (SFC64's four words, or Philox' counter and key), the words.
PLACE, PHILOX, BEFORE, AFTER, WORDS = 0, 1, 2, 6, 10
U = np.uint64
M0, M1 = U(0xD2E7470EE14C6C93), U(0xCA5A826395121157)
W0, W1 = U(0x9E3779B97F4A7C15), U(0xBB67AE8584CAA73B)

# Places in NumPy's state of Philox: pointers to counter and key; buffer_pos (an int), the buffer.
COUNTER, KEY, BUFFER_POS, BUFFER = 0, 1, 2, 3
INT = U(2**32 - 1)

INLINED = {"forceinline": True, "error_model": "numpy"}
inlined = njit(**INLINED)


class SourceType(types.Type):
    def __init__(self):
        super().__init__(name="Source")


SOURCE = SourceType()
register_model(SourceType)(models.OpaqueModel)


class Source:
    """Room for a generator's state and its next words (see `generators.borrowed`)."""

    _numba_type_ = SOURCE  # what numba's dispatcher looks for first

    def __init__(self):
        self.array = np.zeros(WORDS + BLOCK, np.uint64)
        self.address = self.array.ctypes.data


@unbox(SourceType)
def _unbox(_, value, c):
    address = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer)


@intrinsic
def words_of(_, array):
    """The words of an array, for as long as somebody else holds it."""

    def build(context, builder, signature, args):
        data = context.make_array(array)(context, builder, value=args[0]).data
        return builder.bitcast(data, context.get_value_type(SOURCE))

    return SOURCE(array), build


@intrinsic
def _at(_, address):
    """The words at an address."""

    def build(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(SOURCE))

    return SOURCE(types.uint64), build


@intrinsic
def _get(_, source, place):
    def build(context, builder, signature, args):
        words = builder.bitcast(args[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(words, [args[1]]))

    return types.uint64(source, types.intp), build


@intrinsic
def _set(_, source, place, word):
    def build(context, builder, signature, args):
        words = builder.bitcast(args[0], ir.IntType(64).as_pointer())
        builder.store(args[2], builder.gep(words, [args[1]]))
        return context.get_dummy_value()

    return types.void(source, types.intp, types.uint64), build


@overload(operator.getitem, jit_options=INLINED)
def _getitem(source, place):
    if isinstance(source, SourceType):
        return lambda source, place: _get(source, place)
    return None


@overload(operator.setitem, jit_options=INLINED)
def _setitem(source, place, word):
    if isinstance(source, SourceType):
        return lambda source, place, word: _set(source, place, word)
    return None


@intrinsic
def _product(_, a, b):
    """The upper and the lower 64 bits of a product, by one instruction."""

    def build(context, builder, signature, factors):
        wide = ir.IntType(128)
        product = builder.mul(*(builder.zext(factor, wide) for factor in factors))
        halves = (product, builder.lshr(product, ir.Constant(wide, 64)))
        low, high = (builder.trunc(half, ir.IntType(64)) for half in halves)
        return context.make_tuple(builder, signature.return_type, (high, low))

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), build


@inlined
def _sfc64(s, count):
    a, b, c, d = s[AFTER], s[AFTER + 1], s[AFTER + 2], s[AFTER + 3]
    for i in range(WORDS, WORDS + count):
        s[i] = a + b + d
        a, b, c = b ^ (b >> U(11)), c + (c << U(3)), ((c << U(24)) | (c >> U(40))) + s[i]
        d += U(1)
    s[AFTER], s[AFTER + 1], s[AFTER + 2], s[AFTER + 3] = a, b, c, d


@inlined
def _turn(x0, x1, x2, x3, k0, k1):
    """A round of Philox on one counter."""
    (high, low), (upper, lower) = _product(M0, x0), _product(M1, x2)
    return upper ^ x1 ^ k0, lower, high ^ x3 ^ k1, low


@inlined
def _philox(s):
    """Philox-4x64-10, two of its blocks of four words at a time: neither waits for the other."""
    counter = s[AFTER]
    for i in range(WORDS, WORDS + BLOCK, 8):
        a0, a1, a2, a3 = counter, U(0), U(0), U(0)
        b0, b1, b2, b3 = counter + U(1), U(0), U(0), U(0)
        k0, k1 = s[AFTER + 1], s[AFTER + 2]
        for _ in range(10):
            a0, a1, a2, a3 = _turn(a0, a1, a2, a3, k0, k1)
            b0, b1, b2, b3 = _turn(b0, b1, b2, b3, k0, k1)
            k0, k1 = k0 + W0, k1 + W1
        s[i], s[i + 1], s[i + 2], s[i + 3] = a0, a1, a2, a3
        s[i + 4], s[i + 5], s[i + 6], s[i + 7] = b0, b1, b2, b3
        counter += U(2)
    s[AFTER] = counter


@jit
def refill(s):
    for i in range(4):
        s[BEFORE + i] = s[AFTER + i]
    if s[PHILOX]:
        _philox(s)
    else:
        _sfc64(s, BLOCK)
    s[PLACE] = U(0)


@inlined
def word(s):
    if s[PLACE] == U(BLOCK):
        refill(s)
    s[PLACE] += U(1)
    return s[U(WORDS - 1) + s[PLACE]]


@jit
def lend(s, generator, philox):
    """Take over the state of a NumPy generator; the first word of its bitgen_t points there."""
    state = _at(_at(generator)[0])
    s[PHILOX] = U(philox)
    if philox:
        counter, key = _at(state[COUNTER]), _at(state[KEY])
        s[AFTER], s[AFTER + 1], s[AFTER + 2] = counter[0], key[0], key[1]
    else:
        for i in range(4):
            s[AFTER + i] = state[i]
    refill(s)
    if philox:
        s[PLACE] = state[BUFFER_POS] & INT


@jit
def give_back(s, generator):
    """Set the generator's state behind the words of the source that are used."""
    state, used = _at(_at(generator)[0]), s[PLACE]
    if s[PHILOX]:
        last = (used - U(1)) // U(4)  # the block of four of the last word
        _at(state[COUNTER])[0] = s[BEFORE] + last
        for i in range(4):
            state[BUFFER + i] = s[U(WORDS + i) + U(4) * last]
        state[BUFFER_POS] = (state[BUFFER_POS] & ~INT) | (used - U(4) * last)
    else:
        for i in range(4):
            s[AFTER + i] = s[BEFORE + i]
        _sfc64(s, np.int64(used))
        for i in range(4):
            state[i] = s[AFTER + i]
