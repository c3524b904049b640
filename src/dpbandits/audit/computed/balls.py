"""Ball arithmetic.

An `arb` of python-flint is a ball [midpoint +/- radius] that provably contains the exact value. A
comparison such as `a > b` is True only if it holds for all points of the two balls: it is then a
proof, and a verdict `violated` rests on `loss > epsilon`.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce

from flint import arb, ctx, fmpq

START_BITS, MOST_BITS = 96, 1 << 15
Number = int | Fraction | arb

precision = ctx.workprec  # the number of bits, inside a `with` or of a decorated function


def ball(x: Number) -> arb:
    """An exact number as a ball. Floats are refused, so that no rounding enters a certificate."""
    if isinstance(x, arb):
        return x
    if isinstance(x, float):
        raise TypeError("a certificate starts from integers and fractions")
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def upper(x: arb) -> float:
    """The smallest float that is provably at least x."""
    x = arb(x)
    if x.is_nan():
        return math.inf
    nearest = float(x.upper())
    return nearest if arb(nearest) >= x else math.nextafter(nearest, math.inf)


def lower(x: arb) -> float:
    """The largest float that is provably at most x."""
    x = arb(x)
    if x.is_nan():
        return -math.inf
    nearest = float(x.lower())
    return nearest if arb(nearest) <= x else math.nextafter(nearest, -math.inf)


def as_delta(x: arb) -> float:
    """An upper bound in [0, 1] on the delta x; 0 only if x <= 0 is proved."""
    return min(1.0, max(0.0, upper(x)))


def width(x: arb) -> float:
    """The radius of a ball, relative to its midpoint if that is above 1e-30."""
    relative = float(arb(x).rad()) / max(1e-30, abs(float(arb(x).mid())))
    return relative if math.isfinite(relative) else 1e300


def highest(values: Iterable[arb]) -> arb:
    """A ball around the maximum of some values."""
    return reduce(arb.max, map(arb, values))


def positive_part(x: arb) -> arb:
    return arb(x).max(arb(0))


def sharp(compute: Callable[[], arb], relative: float = 1e-14, start: int = START_BITS) -> arb:
    """Call `compute` with more and more bits, until its result has the relative width `relative`
    or is not narrowed by more bits."""
    bits, before = start, math.inf
    while True:
        with precision(bits):
            result = compute()
        now = width(result)
        if now <= relative or bits >= MOST_BITS or now > before / 2:
            return result
        bits, before = 2 * bits, now
