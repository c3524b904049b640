"""Counterexamples in ball arithmetic: comparisons that come out true are proved.

Everything is python-flint `arb` (a midpoint with a rigorous radius) from exact integers and
fractions on; `x > y` is true only if it holds for all numbers in both balls.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import wraps

from flint import arb, ctx, fmpq

BITS = 192

Number = int | Fraction | arb


def precisely(function):
    """Run with balls of BITS bits, whatever precision others have set."""

    @wraps(function)
    def run(*arguments, **options):
        with ctx.workprec(BITS):
            return function(*arguments, **options)

    return run


def ball(x: Number) -> arb:
    """The exact number; floats are refused, so that no rounding slips in."""
    if isinstance(x, arb):
        return x
    if isinstance(x, float):
        raise TypeError("a certificate starts from integers and fractions")
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def policy(scores: Sequence[Number], eta: Number, weights: Sequence[Number] | None = None):
    """pi(a) proportional to weight_a exp(score_a/eta); a score of None has probability 0."""
    weights = weights or [1] * len(scores)
    masses = [
        arb(0) if s is None else ball(w) * (ball(s) / ball(eta)).exp()
        for s, w in zip(scores, weights, strict=True)
    ]
    total = sum(masses, arb(0))
    return [mass / total for mass in masses]


def pure_loss(p: Sequence[arb], q: Sequence[arb]) -> arb:
    """The largest |ln p/q|, of probabilities above 0."""
    logs = [(a / b).log() for a, b in zip(p, q, strict=True)]
    return max((abs(x) for x in logs), key=lambda x: float(x.mid()))


def excess(p: Sequence[arb], q: Sequence[arb], epsilon: Number) -> arb:
    """p(S) - e^eps q(S) for the event S that looks best: at most the true delta at eps."""
    factor = ball(epsilon).exp()
    terms = [a - factor * b for a, b in zip(p, q, strict=True)]
    return sum((t for t in terms if t.mid() > 0), arb(0))


def delta(p: Sequence[arb], q: Sequence[arb], epsilon: Number) -> arb:
    """The worse direction of `excess`."""
    return max(excess(p, q, epsilon), excess(q, p, epsilon), key=lambda x: float(x.mid()))


def shown(x: arb, digits: int = 4) -> str:
    """For the ledger: rounded, the ball itself is far narrower."""
    return f"{float(x.mid()):.{digits}g}"
