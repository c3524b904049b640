"""Privacy losses of finite distributions p and q of the same outcomes, in ball arithmetic.

`dpbandits.core.divergences` computes the same losses in floating point.
"""

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from dpbandits.audit.computed.balls import Number, ball, highest, positive_part


def _ball_of_any(x) -> arb:
    """As `ball`, but a float is accepted, as the binary fraction that it is."""
    return ball(x) if isinstance(x, Fraction) else arb(x)


def balls(values: Sequence) -> list[arb]:
    """Probabilities as balls: of balls, exact numbers or floats."""
    return [_ball_of_any(x) for x in values]


def policy(scores: Sequence[Number], eta: Number) -> list[arb]:
    """pi(a) proportional to exp(score_a/eta); an action with the score None has probability 0."""
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
    factor = _ball_of_any(epsilon).exp()
    pairs = zip(balls(p), balls(q), strict=True)
    return sum((positive_part(a - factor * b) for a, b in pairs), arb(0))


def delta_at(p: Sequence, q: Sequence, epsilon) -> arb:
    """The smallest delta of a pair at eps: both directions."""
    return hockey_stick(p, q, epsilon).max(hockey_stick(q, p, epsilon))
