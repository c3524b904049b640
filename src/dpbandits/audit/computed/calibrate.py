"""Calibration: the smallest noise whose audited loss meets a target, by bisection on the audit.

The loss falls as the noise grows. The returned noise has been audited and meets the target. It is
the smallest one up to the tolerance, and as far as the audit is sharp (its `method`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from dpbandits.core.bisection import last
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss

Audit = Callable[[float, list[float]], PrivacyLoss]  # of (scale, epsilons)


@dataclass(frozen=True)
class Search:
    """Where the smallest noise is searched, and how precisely."""

    scale_at_1: float  # scale_at_1/epsilon meets the target up to rounding
    least: float = 1e-4  # first lower end, as a fraction of it; lowered to `floor` while it passes
    floor: float = 1e-300
    tolerance: float = 1e-7  # relative, of the noise
    sharpen: int = 30  # bisection steps for the audited epsilon


def meets(loss: PrivacyLoss, epsilon: float, delta: float) -> bool:
    return loss.pure_epsilon <= epsilon or (delta > 0 and loss.delta_at[epsilon] <= delta)


def bisect(passes: Callable[[float], bool], search: Search, epsilon: float = 1.0) -> float:
    """The smallest noise that passes."""
    enough = max(search.floor, search.scale_at_1 / epsilon)
    low = max(search.floor, enough * search.least)
    step = 1 + 1e-12  # `enough` itself may have been rounded down
    while not passes(enough):
        enough, step = enough * step, 2.0
        if enough > 1e300:
            raise InputError("calibrate: no amount of noise meets the target")
    while passes(low):
        if low <= search.floor:
            return low
        enough, low = low, max(search.floor, low * 1e-3)
    return last(passes, enough, low, search.tolerance)


def smallest(audit: Audit, epsilon: float, delta: float, search: Search) -> Calibration:
    """The smallest scale, its audit, and the smallest epsilon at which its delta is the target."""
    at = [epsilon] if delta > 0 else []
    scale = bisect(lambda x: meets(audit(x, at), epsilon, delta), search, epsilon)
    loss = audit(scale, at)
    if delta == 0:
        return Calibration({"scale": scale}, loss, loss.pure_epsilon)
    low, high = 0.0, min(epsilon, loss.pure_epsilon)
    for _ in range(search.sharpen):  # in steps of equal size: epsilon may be 0
        middle = (low + high) / 2
        enough = audit(scale, [middle]).delta_at[middle] <= delta
        low, high = (low, middle) if enough else (middle, high)
    return Calibration({"scale": scale}, loss, high)
