"""Calibration: the smallest noise whose audited loss meets a target, by bisection on the audit.

The loss falls as the noise grows. The returned noise has been audited and meets the target. It is
the smallest one up to the tolerance, and as far as the audit is sharp (its `method`).
"""

from collections.abc import Callable

from dpbandits.core.bisection import last
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss

LOWER = 1e-4  # of the noise that is enough: where less of it is searched, while it passes


def meets(loss: PrivacyLoss, epsilon: float, delta: float) -> bool:
    return loss.pure_epsilon <= epsilon or (delta > 0 and loss.delta_at[epsilon] <= delta)


def smallest(
    audit: Callable[[float, list[float]], PrivacyLoss], epsilon: float, delta: float,
    scale_at_1: float, *, floor: float = 1e-300, tolerance: float = 1e-7, sharpen: int = 30,
) -> Calibration:  # fmt: skip
    """The smallest scale, its audit, and the smallest epsilon at which its delta is the target.

    audit: of (scale, epsilons). scale_at_1: scale_at_1/epsilon meets the target up to rounding.
    floor: the least scale. tolerance: relative, of the scale. sharpen: steps for the epsilon.
    """
    at = [epsilon] if delta > 0 else []

    def passes(scale: float) -> bool:
        return meets(audit(scale, at), epsilon, delta)

    good, step = max(floor, scale_at_1 / epsilon), 1 + 1e-12  # it may have been rounded down
    bad = max(floor, good * LOWER)
    while not passes(good):
        good, step = good * step, 2.0
        if good > 1e300:
            raise InputError("calibrate: no amount of noise meets the target")
    while bad < good and passes(bad):
        good, bad = bad, max(floor, bad * LOWER)
    scale = last(passes, good, bad, tolerance)
    loss = audit(scale, at)
    if delta == 0:
        return Calibration({"scale": scale}, loss, loss.pure_epsilon)
    low, high = 0.0, min(epsilon, loss.pure_epsilon)
    for _ in range(sharpen):  # in steps of equal size: epsilon may be 0
        middle = (low + high) / 2
        enough = audit(scale, [middle]).delta_at[middle] <= delta
        low, high = (low, middle) if enough else (middle, high)
    return Calibration({"scale": scale}, loss, high)
