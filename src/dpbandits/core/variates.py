"""Random variates in compiled code, drawn from a philox stream.

All are exact up to double precision. They are for simulation only: for a release of real data the
sampler must withstand floating-point attacks.
"""

import math

import numpy as np

from dpbandits.core.compiled import inlined, jit
from dpbandits.core.philox import next_word

_TO_UNIT, _TO_SIGNED_UNIT = 2.0**-53, 2.0**-52
_ELEVEN = np.uint64(11)
HALF_LOG_TWO_PI = 0.9189385332046727


def _ziggurat(layers: int, right: float) -> tuple[np.ndarray, np.ndarray]:
    """Widths and lower heights of layers of equal area under exp(-x^2/2), the lowest first.

    right: where the tail begins, which depends on the number of layers.
    """
    foot = math.exp(-0.5 * right * right)
    area = right * foot + math.sqrt(math.pi / 2) * math.erfc(right / math.sqrt(2))
    widths = [area / foot, right]
    while len(widths) < layers:
        widths.append(
            math.sqrt(-2 * math.log(math.exp(-0.5 * widths[-1] ** 2) + area / widths[-1]))
        )
    widths.append(0.0)
    return np.array(widths), np.exp(-0.5 * np.array(widths) ** 2)


_WIDTHS, _HEIGHTS = _ziggurat(256, 3.6541528853610088)
_LAYER = np.uint64(255)  # the bits of a word that choose a layer


@inlined
def uniform(stream):
    """Uniform on the open interval (0, 1): the midpoints of 2^53 cells, so never 0 or 1."""
    return (np.float64(next_word(stream) >> _ELEVEN) + 0.5) * _TO_UNIT


@inlined
def exponential(stream):
    """Standard exponential."""
    return -math.log(uniform(stream))


@inlined
def laplace(stream, scale):
    """Lap(scale): density exp(-|x|/scale)/(2 scale). Scale 0 gives 0 (epsilon = infinity)."""
    u = uniform(stream) - 0.5
    return -scale * math.copysign(math.log1p(-2.0 * abs(u)), u)


@inlined
def normal(stream):
    """Standard normal: the ziggurat of Marsaglia and Tsang (2000).

    One word gives a layer and a point in it; nearly always the point is below the next layer's
    width, and hence under the density.
    """
    while True:
        word = next_word(stream)
        layer = np.int64(word & _LAYER)
        x = (np.float64(np.int64(word) >> 11) + 0.5) * _TO_SIGNED_UNIT * _WIDTHS[layer]
        if abs(x) < _WIDTHS[layer + 1]:
            return x
        x, accepted = _outside(stream, layer, x)
        if accepted:
            return x


@jit
def _outside(stream, layer, x):
    """A point of a layer beyond the next layer's width, or of the tail; and if it is accepted."""
    if layer > 0:
        height = _HEIGHTS[layer] + uniform(stream) * (_HEIGHTS[layer + 1] - _HEIGHTS[layer])
        return x, height < math.exp(-0.5 * x * x)
    while True:
        beyond = exponential(stream) / _WIDTHS[1]
        if 2.0 * exponential(stream) > beyond * beyond:
            return math.copysign(_WIDTHS[1] + beyond, x), True


@jit
def normals(stream, count):
    """An array of `count` standard normal variates."""
    values = np.empty(count)
    for i in range(count):
        values[i] = normal(stream)
    return values


@jit
def gamma(stream, shape):
    """Gamma(shape, 1) (Marsaglia and Tsang 2000; below shape 1 by their boost)."""
    boost = 1.0
    if shape < 1.0:
        boost = uniform(stream) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(stream)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        if math.log(uniform(stream)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return boost * d * v


@jit
def stirling_tail(k):
    """ln k! minus Stirling's main terms (k + 1/2) ln(k + 1) - (k + 1) + ln(2 pi)/2."""
    if k < 10:
        return math.lgamma(k + 1.0) - ((k + 0.5) * math.log(k + 1.0) - (k + 1.0) + HALF_LOG_TWO_PI)
    r = 1.0 / (k + 1.0)
    return (1.0 / 12.0 - (1.0 / 360.0 - r * r / 1260.0) * r * r) * r


@jit
def _binomial_inversion(stream, n, p):
    """Sequential search; for n p below 10."""
    q = 1.0 - p
    odds = p / q
    while True:
        mass = math.exp(n * math.log1p(-p))
        u = uniform(stream)
        k = 0
        while u > mass and k < 200:  # P(k > 200) < 1e-100: only rounding errors lead there
            u -= mass
            k += 1
            mass *= odds * (n - k + 1.0) / k
        if k <= n and k < 200:
            return k


@jit
def _binomial_rejection(stream, n, p):
    """Hormann's BTRS (1993), transformed rejection; for n p at least 10 and p at most 1/2."""
    spread = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = n * p + 0.5
    v_r = 0.92 - 4.2 / b
    while True:
        u = uniform(stream) - 0.5
        v = uniform(stream)
        us = 0.5 - abs(u)
        k = math.floor((2.0 * a / us + b) * u + c)
        if us >= 0.07 and v <= v_r:
            return np.int64(k)
        if k < 0.0 or k > n:
            continue
        alpha = (2.83 + 5.1 / b) * spread
        v = math.log(v * alpha / (a / (us * us) + b))
        mode = math.floor((n + 1.0) * p)
        bound = (
            (mode + 0.5) * math.log((mode + 1.0) / (n - mode + 1.0))
            + stirling_tail(mode)
            + stirling_tail(n - mode)
            + (n + 1.0) * math.log1p((k - mode) / (n - k + 1.0))
            + (k + 0.5) * math.log((n - k + 1.0) / (k + 1.0))
            + (k - mode) * math.log(p / (1.0 - p))
            - stirling_tail(k)
            - stirling_tail(n - k)
        )
        if v <= bound:
            return np.int64(k)


@jit
def binomial(stream, n, p):
    """Binomial(n, p), n up to 2^53."""
    if n <= 0 or p <= 0.0:
        return np.int64(0)
    if p >= 1.0:
        return np.int64(n)
    if p > 0.5:
        return np.int64(n) - binomial_half(stream, n, 1.0 - p)
    return binomial_half(stream, n, p)


@jit
def binomial_half(stream, n, p):
    """Binomial(n, p) for p at most 1/2."""
    if n * p < 10.0:
        return np.int64(_binomial_inversion(stream, np.float64(n), p))
    return _binomial_rejection(stream, np.float64(n), p)
