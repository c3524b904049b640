"""The audits from Python: `dpbandits.audit`, `dpbandits.calibrate`, `dpbandits.bound`.

They take the keys that `dpbandits audit NAME --help` lists, as keywords.
"""

import math
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

from dpbandits.audit.calibrate import target_rho_of
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import (
    BOUNDS,
    CALIBRATORS,
    MECHANISMS,
    Calibration,
    Comparison,
    Mechanism,
)
from dpbandits.core.models import parse, parse_epsilon, shown


def audit(
    mechanism: str | None = None,
    *,
    learner: str | None = None,
    measurement: str | None = None,
    function: Callable | None = None,
    at_epsilon: Iterable[float] = (),
    at_alpha: Iterable[float] = (),
    **keys: Any,
):
    """The privacy loss of a mechanism, e.g. `audit("rnm", scale=2, arms=2, rounds=64,
    adjacency="replace", at_epsilon=(0.5,))`: a `PrivacyLoss`.

    Or of running code: `learner="rnm-ftnl"`, another library's `measurement="opendp:noisy_max"`, or
    a `function` of data and a generator, whose draws are recorded and replayed on neighbours (there
    noise="recorded", as on the command line, is the default and the only choice).
    """
    ways = [way for way in (mechanism, learner, measurement, function) if way is not None]
    if len(ways) != 1:
        raise InputError("audit: allowed: one of a mechanism, learner=, measurement=, function=")
    for way, name in (("learner", learner), ("measurement", measurement)):
        if name is not None and not isinstance(name, str):
            raise InputError(f"audit: {way} = {shown(name)}: allowed: a name, as a text")
    at_epsilon, at_alpha = _numbers(at_epsilon, "at_epsilon"), _numbers(at_alpha, "at_alpha")
    if mechanism is None and (at_epsilon or at_alpha):
        raise InputError("audit: at_epsilon, at_alpha: allowed: with a mechanism")
    if measurement is not None:
        from dpbandits.audit.measurement import audit_measurement

        return audit_measurement(measurement, keys)
    if learner is not None:
        from dpbandits.audit.replay import audit_learner

        return audit_learner(learner, keys)
    if function is not None:
        from dpbandits.audit.replay import RecordedParams, audit_recorded_function

        if keys.pop("noise", "recorded") != "recorded":
            raise InputError('audit: noise: allowed with function=: "recorded"')
        return audit_recorded_function(function, parse(RecordedParams, keys, "audit"))
    return _computed(MECHANISMS, str(mechanism), keys, "audit", at_epsilon, at_alpha)


def bound(
    mechanism: str,
    *,
    at_epsilon: Iterable[float] = (),
    at_alpha: Iterable[float] = (),
    **keys: Any,
) -> Comparison:
    """The printed and the corrected bound of a theorem beside the loss of a mechanism."""
    orders = _numbers(at_epsilon, "at_epsilon"), _numbers(at_alpha, "at_alpha")
    return _computed(BOUNDS, mechanism, keys, "bound", *orders)


def calibrate(
    mechanism: str,
    *,
    target_epsilon: float | None = None,
    target_delta: float = 0.0,
    target_rho: float | None = None,
    **keys: Any,
) -> Calibration:
    """The smallest noise of a mechanism with which it really is (epsilon, delta)-private, or
    rho-zCDP."""
    entry = CALIBRATORS.get(mechanism, "mechanism")
    if (target_epsilon is None) == (target_rho is None):
        raise InputError("calibrate: allowed: one of target_epsilon, target_rho")
    if isinstance(target := target_rho if target_epsilon is None else target_epsilon, str | bytes):
        raise InputError(f"calibrate: the target {shown(target)} is a text; allowed: a number")
    if target_rho is not None:
        rho = target_rho_of(target_rho, "target_rho", entry, target_delta)
        params = parse(entry.params, keys, f"calibrate {entry.name}")
        return entry.compute(params, target_rho=rho)
    epsilon = parse_epsilon(target_epsilon, "target_epsilon")
    if not isinstance(target_delta, Real):
        raise InputError(f"target_delta = {shown(target_delta)}: allowed: a number in [0, 1)")
    if math.isinf(epsilon) or not 0 <= target_delta < 1:
        raise InputError("calibrate: allowed: a finite target_epsilon, a target_delta in [0, 1)")
    return entry.compute(
        parse(entry.params, keys, f"calibrate {entry.name}"), epsilon, target_delta
    )


def mechanisms() -> dict[str, Mechanism]:
    """Every mechanism that can be audited, by name."""
    return MECHANISMS.all()


def _computed(registry, name: str, keys: dict[str, Any], command: str, *orders):
    entry = registry.get(name, "mechanism")
    params = parse(entry.params, keys, f"{command} {entry.name}")
    return entry.compute(params, *orders)


def _numbers(values: Any, where: str) -> tuple:
    try:
        return tuple(values)
    except TypeError:
        raise InputError(f"{where} = {shown(values)}: allowed: a list of numbers") from None
