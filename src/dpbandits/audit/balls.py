"""Ball arithmetic, and the privacy loss of finitely many outcomes in it.

An `arb` of python-flint is a ball [midpoint +/- radius] that provably contains the true value,
whatever was computed. Its comparisons are true only if they hold for every point of the balls:
`a > b` is then a proof. So a verdict `violated` asks `loss > epsilon` of two balls.
`dpbandits.core.divergences` has the same losses in floating point.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce

from flint import arb, ctx, fmpq

START_BITS, MOST_BITS = 96, 1 << 15
CERTIFICATE_BITS = 192
Number = int | Fraction | arb


# Numbers
@contextmanager
def precision(bits: int):
    """Compute with balls of that many bits inside the `with`."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


at_certificate_precision = precision(CERTIFICATE_BITS)  # a decorator, too


def ball(x: Number) -> arb:
    """The exact number; floats are refused, so that no rounding slips into a certificate."""
    if isinstance(x, arb):
        return x
    if isinstance(x, float):
        raise TypeError("a certificate starts from integers and fractions")
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def _taken(x) -> arb:
    """Any number as a ball: here a float is what it is, a fraction with denominator 2^k."""
    return ball(x) if isinstance(x, Fraction) else arb(x)


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
    """An upper bound in [0, 1] on the delta x; 0 only if x <= 0 is proved."""
    return min(1.0, max(0.0, upper(x)))


def shown(x: arb, digits: int = 4) -> str:
    """The midpoint, rounded to `digits` digits."""
    return f"{float(x.mid()):.{digits}g}"


def width(x: arb) -> float:
    """The radius of a ball, relative to its midpoint where that is above 1e-30."""
    size = float(arb(x).rad()) / max(1e-30, abs(float(arb(x).mid())))
    return size if math.isfinite(size) else 1e300


def highest(values: Iterable[arb]) -> arb:
    """A ball around the maximum of some values."""
    return reduce(arb.max, map(arb, values))


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


# Finitely many outcomes
def balls(values: Sequence) -> list[arb]:
    """Probabilities as balls: from balls, or anything that converts exactly (floats, "1/3")."""
    return [_taken(x) for x in values]


def policy(scores: Sequence[Number], eta: Number) -> list[arb]:
    """pi(a) proportional to exp(score_a/eta); a score of None has probability 0."""
    masses = [arb(0) if s is None else (ball(s) / ball(eta)).exp() for s in scores]
    total = sum(masses, arb(0))
    return [mass / total for mass in masses]


def max_divergence(p: Sequence, q: Sequence) -> arb:
    """max ln(p/q) over the outcomes possible under p; +inf if one of them is impossible under q."""
    terms = []
    for a, b in zip(balls(p), balls(q), strict=True):
        if not a.is_zero():
            terms.append(arb.pos_inf() if b.is_zero() else a.log() - b.log())
    return highest(terms)


def pure_loss(p: Sequence, q: Sequence) -> arb:
    """The pure privacy loss of a pair: both directions."""
    return highest([max_divergence(p, q), max_divergence(q, p), arb(0)])


def hockey_stick(p: Sequence, q: Sequence, epsilon) -> arb:
    """sum of max(0, p - e^eps q): the smallest delta at eps in one direction."""
    factor = _taken(epsilon).exp()
    pairs = zip(balls(p), balls(q), strict=True)
    return sum((positive_part(a - factor * b) for a, b in pairs), arb(0))


def delta_at(p: Sequence, q: Sequence, epsilon) -> arb:
    """The smallest delta of a pair at eps: both directions."""
    return hockey_stick(p, q, epsilon).max(hockey_stick(q, p, epsilon))
