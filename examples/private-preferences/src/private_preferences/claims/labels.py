"""Randomised labels (arXiv 2505.15694), in fractions: private, and the corrected loss unbiased."""

from fractions import Fraction
from math import log

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.core.errors import require_proof
from dpbandits.reproduction.ledger.points import points

KEEP = {odds: odds / (1 + odds) for odds in map(Fraction, ("101/100", "3/2", "3", "20", "1000"))}


def randomised_response_is_private(tables) -> Finding:
    """The larger over the smaller probability of a report is e^eps."""
    require_proof(all(k / (1 - k) == odds for odds, k in KEEP.items()), "PP-RR")
    losses = [log(odds) for odds in KEEP]
    plot = points(losses, losses, at_most=losses, axes=("ε", "loss of one report"))
    return Finding("holds", {"count": len(KEEP)}, plot)


def corrected_loss_is_unbiased(tables) -> Finding:
    """The loss is affine in the weight (r + keep - 1) c of the report, whose mean must be y."""
    bias = {
        f"y = {y}, ε = {log(odds):.3g}": (k * y + (1 - k) * (1 - y) + k - 1) / (2 * k - 1) - y
        for odds, k in KEEP.items()
        for y in (0, 1)
    }
    require_proof(not any(bias.values()), f"PP-UNBIASED: {bias}")
    axes = "label", "mean weight less the label"
    plot = points(list(bias), list(map(float, bias.values())), at_least=0, at_most=0, axes=axes)
    return Finding("holds", {"count": len(bias)}, plot)
