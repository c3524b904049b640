"""Privacy loss of finitely many outcomes, from certified probabilities.

Distributions are sequences of balls (`arb`) or of anything that converts to one exactly (float,
int, "1/3"). `dpbandits.core.divergences` has the same quantities in floating point.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from flint import arb

from dpbandits.audit.intervals import as_delta, highest, lower, positive_part, upper
from dpbandits.core.mechanisms import PrivacyLoss, named


def balls(values: Sequence[Any]) -> list[arb]:
    return [arb(x) for x in values]


def max_divergence(p: Sequence[arb], q: Sequence[arb]) -> arb:
    """max ln(p/q) over the outcomes possible under p; +inf if one of them is impossible under q."""
    terms = []
    for a, b in zip(balls(p), balls(q), strict=True):
        if a.is_zero():
            continue
        terms.append(arb.pos_inf() if b.is_zero() else a.log() - b.log())
    return highest(terms)


def pure_loss(p: Sequence[arb], q: Sequence[arb]) -> arb:
    """The pure privacy loss of a pair: both directions."""
    return highest([max_divergence(p, q), max_divergence(q, p), arb(0)])


def hockey_stick(p: Sequence[arb], q: Sequence[arb], epsilon: float) -> arb:
    """sum of max(0, p - e^eps q): the smallest delta at eps in one direction."""
    factor = arb(epsilon).exp()
    pairs = zip(balls(p), balls(q), strict=True)
    return sum((positive_part(a - factor * b) for a, b in pairs), arb(0))


def delta_at(p: Sequence[arb], q: Sequence[arb], epsilon: float) -> arb:
    """The smallest delta of a pair at eps: both directions."""
    return hockey_stick(p, q, epsilon).max(hockey_stick(q, p, epsilon))


def audit_pairs(
    pairs: Iterable[tuple[dict, Sequence[arb], Sequence[arb]]], at_epsilon: Iterable[float] = ()
) -> PrivacyLoss:
    """The worst of an enumeration of neighbours: (description, p, q) each; certified from above.

    The worst neighbour is the one of the pure loss; those of the deltas may differ and stand under
    `delta_at`.
    """
    at_epsilon = list(at_epsilon)
    loss, worst = arb(0), {}
    deltas = {e: (arb(0), {}) for e in at_epsilon}
    for name, p, q in pairs:
        found = pure_loss(p, q)
        if lower(found) > lower(loss) or not worst:
            worst = name
        loss = loss.max(found)
        for e, (delta, where) in deltas.items():
            here = delta_at(p, q, e)
            deltas[e] = (delta.max(here), name if lower(here) > lower(delta) else where)
    places = {named(e): where for e, (_, where) in deltas.items() if where}
    return PrivacyLoss(
        pure_epsilon=upper(loss),
        delta_at={e: as_delta(delta) for e, (delta, _) in deltas.items()},
        worst_neighbour=dict(worst) | ({"delta_at": places} if places else {}),
        method="certified",
    )
