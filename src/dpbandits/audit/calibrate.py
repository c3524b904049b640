"""Calibration: the smallest noise whose audited loss meets a target, by bisection on the audit.

The loss falls as the noise grows. For report-noisy-max and pure loss that is proved: dividing all
counts by the scale shrinks the shift and the range, and both lower the ratio (`rnm`). In any case
what is returned has been audited and meets the target; that less noise would not is true up to the
tolerance, and as far as the audit itself is sharp (its `method` says so).
"""

from collections.abc import Callable

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss

TOLERANCE = 1e-7  # relative, of the noise
Audit = Callable[[float, list[float]], PrivacyLoss]


def meets(loss: PrivacyLoss, epsilon: float, delta: float) -> bool:
    return loss.pure_epsilon <= epsilon or (delta > 0 and loss.delta_at[epsilon] <= delta)


def bisect(
    passes: Callable[[float], bool], enough: float, least: float, tolerance: float,
    floor: float | None = None,
) -> float:  # fmt: skip
    """The smallest noise that passes: `enough` is raised until it does, `least` lowered until it
    does not or is `floor` (left out: `least` itself)."""
    step = 1 + 1e-12  # `enough` itself may have been rounded down
    while not passes(enough):
        enough, step = enough * step, 2.0
        if enough > 1e300:
            raise InputError("calibrate: no amount of noise meets the target")
    while passes(least):
        if floor is None or least <= floor:
            return least
        enough, least = least, max(floor, least * 1e-3)
    low = least
    while enough > low * (1 + tolerance):
        middle = (low * enough) ** 0.5
        low, enough = (low, middle) if passes(middle) else (middle, enough)
    return enough


def smallest(
    audit: Audit, epsilon: float, delta: float, enough: float, *,
    key: str = "scale", least: float, floor: float = 1e-300, tolerance: float = TOLERANCE,
    sharpen: int = 30,
) -> Calibration:  # fmt: skip
    """Calibrate `audit(noise, at_epsilon)`; `sharpen` bisections settle the audited epsilon."""
    check_target(epsilon, delta)
    at = [epsilon] if delta > 0 else []
    noise = bisect(lambda x: meets(audit(x, at), epsilon, delta), enough, least, tolerance, floor)
    return certificate(audit, noise, {key: noise}, epsilon, delta, sharpen)


def certificate(
    audit: Audit, noise: float, keys: dict, epsilon: float, delta: float, sharpen: int = 30
) -> Calibration:
    """The audit at that noise, and the smallest eps at which its delta meets the target."""
    loss = audit(noise, [epsilon] if delta > 0 else [])
    if delta == 0:
        return Calibration(keys, loss, loss.pure_epsilon)
    low, high = 0.0, min(epsilon, loss.pure_epsilon)
    for _ in range(sharpen):
        middle = (low + high) / 2
        meets_here = audit(noise, [middle]).delta_at[middle] <= delta
        low, high = (low, middle) if meets_here else (middle, high)
    return Calibration(keys, loss, high)


def check_target(epsilon: float, delta: float) -> None:
    if not 0 < epsilon < float("inf"):
        raise InputError(f"calibrate: target epsilon = {epsilon:g}: allowed: a number above 0")
    if not 0 <= delta < 1:
        raise InputError(f"calibrate: target delta = {delta:g}: allowed: from 0 to below 1")
