"""Philox-4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw (SC 2011).

A stream is a pure function of (key, seed, position): nothing is stored but a position, so a stream
costs nothing to make and never depends on what ran before it. The 64-bit key stands for the
coordinates of a simulation, the 128-bit counter is (position, seed).

Inside compiled code a stream is one row of a uint64 array: [key, seed, position, spare word].
"""

import numpy as np

from dpbandits.core.compiled import jit

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


@jit
def block(key, seed, index):
    """The 128 bits at counter (index, seed) under `key`, as two 64-bit words."""
    x0 = index & _LOW
    x1 = index >> _HALF
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
    return x0 | (x1 << _HALF), x2 | (x3 << _HALF)


@jit
def next_word(stream):
    """The next 64 random bits of a stream (two words come out of one block)."""
    position = stream[2]
    stream[2] = position + _ONE
    if position & _ONE:
        return stream[3]
    word, spare = block(stream[0], stream[1], position >> _ONE)
    stream[3] = spare
    return word
