"""The little that certificates need on top of python-flint's balls.

An `arb` is a ball [midpoint +/- radius] that provably contains the true value, whatever was
computed. Its comparisons are true only if they hold for every point of the balls: `a > b` is then
a proof. So a verdict `violated` asks `loss > epsilon` of two balls.
"""

import math
from collections.abc import Callable, Iterable
from contextlib import contextmanager

from flint import arb, ctx

START_BITS = 96
MOST_BITS = 1 << 14


@contextmanager
def precision(bits: int):
    """Compute with balls of that many bits inside the `with`."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def upper(x: arb) -> float:
    """The float next to x that is surely not below it."""
    x = arb(x)
    if x.is_nan():
        return math.inf
    near = float(x.upper())
    return near if arb(near) >= x else math.nextafter(near, math.inf)


def lower(x: arb) -> float:
    """The float next to x that is surely not above it."""
    x = arb(x)
    if x.is_nan():
        return -math.inf
    near = float(x.lower())
    return near if arb(near) <= x else math.nextafter(near, -math.inf)


def as_delta(x: arb) -> float:
    """A float in [0, 1] that is surely not below the delta x; 0 only if x is."""
    x = arb(x)
    return 0.0 if x.is_zero() or x <= 0 else min(1.0, max(0.0, upper(x)))


def width(x: arb) -> float:
    """The radius of a ball, relative to its midpoint where that is above 1e-30."""
    size = float(arb(x).rad()) / max(1e-30, abs(float(arb(x).mid())))
    return size if math.isfinite(size) else 1e300


def highest(values: Iterable[arb]) -> arb:
    """A ball around the maximum of some values."""
    values = [arb(x) for x in values]
    top = values[0]
    for value in values[1:]:
        top = top.max(value)
    return top


def positive_part(x: arb) -> arb:
    return arb(x).max(arb(0))


def sharp(compute: Callable[[], arb], relative: float = 1e-14, start: int = START_BITS) -> arb:
    """Run `compute` with more and more bits until its ball is narrow, or as narrow as its input."""
    bits, before = start, math.inf
    while True:
        with precision(bits):
            result = compute()
        now = width(result)
        if now <= relative or bits >= MOST_BITS or now > before / 2:
            return result
        bits, before = 2 * bits, now


def compare(a: arb, b: arb) -> bool | None:
    """a > b: True or False if the balls prove it, None if they overlap."""
    if a > b:
        return True
    return False if a <= b else None
