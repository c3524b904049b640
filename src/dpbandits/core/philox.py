"""Philox-4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw (SC 2011).

A word of a stream is a pure function of (key, seed, position): it never depends on what was drawn
elsewhere. The 64-bit key is a hash of the coordinates of a simulation, the 128-bit counter is
(position, seed).

In compiled code a stream is one row of a uint64 array: [key, seed, position, words of a block].
"""

import numpy as np

from dpbandits.core.compiled import inlined, jit
from dpbandits.core.streams import AT_ONCE

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_LAST = np.uint64(2 * AT_ONCE - 1)
_WORDS, _SECOND = np.uint64(3), np.uint64(AT_ONCE)


@jit
def fill(stream, index):
    """Compute two words at each of the counters (index, seed), (index + 1, seed), ...

    All first words are stored before all second words, so that the compiler can vectorise the loop.
    """
    key, seed = stream[0], stream[1]
    for i in range(AT_ONCE):
        x0 = (index + np.uint64(i)) & _LOW
        x1 = (index + np.uint64(i)) >> _HALF
        x2 = seed & _LOW
        x3 = seed >> _HALF
        k0 = key & _LOW
        k1 = key >> _HALF
        for _ in range(10):
            p0 = _M0 * x0
            p1 = _M1 * x2
            x0 = (p1 >> _HALF) ^ x1 ^ k0
            x1 = p1 & _LOW
            x2 = (p0 >> _HALF) ^ x3 ^ k1
            x3 = p0 & _LOW
            k0 = (k0 + _W0) & _LOW
            k1 = (k1 + _W1) & _LOW
        stream[3 + i] = x0 | (x1 << _HALF)
        stream[3 + AT_ONCE + i] = x2 | (x3 << _HALF)


@inlined
def next_word(stream):
    """The next 64 random bits of a stream (each counter gives two words)."""
    position = stream[2]
    stream[2] = position + _ONE
    place = position & _LAST
    if place == 0:
        fill(stream, position >> _ONE)
    return stream[_WORDS + (place >> _ONE) + _SECOND * (place & _ONE)]
