"""Mechanisms that can be audited and calibrated, and their registries.

    @mechanism("rnm", params=RnmParams, examples=({"scale": 1.5, "arms": 2, ...},), sample=play)
    def audit_rnm(params, at_epsilon) -> PrivacyLoss: ...

    @calibrator("rnm", params=RnmTarget)
    def calibrate_rnm(params, target_epsilon, target_delta) -> Calibration: ...

`params` is a pydantic model of the keys that `--set key=value` may give; a mechanism of a user's
own data also has the keys `data`, `actions`, `reference`, `neighbours`, filled by the options of
these names. `examples` are small choices of the keys, on which the tests check every mechanism.
`sample(params, which, runs, generator)` runs the mechanism on one (which = 0) or the other (1) of
two bad neighbours and returns integers, from which the black-box auditor checks the audit.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import wraps
from numbers import Real
from typing import Any, Literal

from pydantic import BaseModel

from dpbandits.core.errors import InputError
from dpbandits.core.models import shown
from dpbandits.core.registry import Place, Registry

Method = Literal["exact", "certified", "bound"]
ROUNDING = 1 + 1e-9  # by which rounding may let a loss exceed its bound


class Answer:
    """A dataclass that is printed as JSON: its fields but those with `repr=False`; infinity is the
    string "inf"."""

    def as_json(self: Any) -> dict:
        return in_json({x.name: getattr(self, x.name) for x in fields(self) if x.repr})


def in_json(value):
    value = value.tolist() if hasattr(value, "tolist") else value  # NumPy's
    if isinstance(value, dict):
        named_keys = ((named(k) if isinstance(k, float) else str(k), x) for k, x in value.items())
        return {key: in_json(x) for key, x in named_keys}
    if isinstance(value, list | tuple):
        return [in_json(x) for x in value]
    if isinstance(value, float):
        return str(value) if math.isinf(value) else value + 0.0  # no -0.0
    return value if value is None or isinstance(value, str | int) else str(value)


@dataclass(frozen=True)
class PrivacyLoss(Answer):
    """The privacy loss of one configured mechanism over its worst neighbours.

    exact: computed in closed form or by enumeration, up to rounding. certified: computed by
    interval arithmetic and rounded up. bound: an upper bound, by the theorem in
    `worst_neighbour["theorem"]`; a lower bound, where there is one, is `worst_neighbour["found"]`,
    or `["delta_at"][epsilon]["delta_at_least"]`.

    pure_epsilon: in nats, the logarithm of the largest ratio of probabilities; inf if there is
    none. delta_at: epsilon -> the smallest delta. worst_neighbour: a pair where it is attained.
    """

    pure_epsilon: float
    delta_at: dict[float, float] = field(default_factory=dict)
    worst_neighbour: dict = field(default_factory=dict)
    method: Method = "exact"


@dataclass(frozen=True)
class Calibration:
    """The smallest noise whose audited loss meets a target, and that audit.

    In the audit's `worst_neighbour`, "noise" is its law and "unit" is that of the scale, where
    the name of the mechanism does not say them.
    """

    noise: dict[str, float]  # the calibrated keys, e.g. {"scale": 2.0}
    audited: PrivacyLoss
    audited_epsilon: float  # at the target delta

    def as_json(self) -> dict:
        known = self.audited.worst_neighbour
        about = {key: known[key] for key in ("noise", "unit", "theorem") if key in known}
        reached = {"audited_epsilon": self.audited_epsilon, "method": self.audited.method}
        return in_json({**self.noise, **reached, **about})


def delta_of_pure(loss: float, epsilon: float) -> float:
    """delta at epsilon of binary randomized response, the worst mechanism of that pure loss."""
    return abs(math.expm1(min(0.0, epsilon - loss))) / (1.0 + math.exp(-loss))


def named(epsilon: float) -> str:
    """An epsilon as a key of JSON, in full precision; whole numbers have no decimal point."""
    return repr(float(epsilon)).removesuffix(".0")


@dataclass(frozen=True)
class Mechanism:
    name: str
    params: type[BaseModel]
    compute: Callable
    module: str
    examples: tuple[dict, ...] = ()
    sample: Callable | None = None


class TableText(str):
    """The content of a CSV file, in an example whose key is the name of a file."""


MECHANISMS: Registry[Mechanism] = Registry.of_group("mechanism", "dpbandits.mechanisms")
CALIBRATORS: Registry[Mechanism] = Registry.of_group("calibrator", "dpbandits.mechanisms")


def checking(compute: Callable) -> Callable:
    """The function, but it refuses an `at_epsilon` other than a tuple or list of numbers from 0."""

    @wraps(compute)
    def checked(params, at_epsilon=()):
        given = tuple(at_epsilon) if isinstance(at_epsilon, Iterable) else (math.nan,)
        if not all(isinstance(x, Real) and float(x) >= 0 for x in given):
            raise InputError(f"at_epsilon = {shown(at_epsilon)}: allowed: a tuple of numbers >= 0")
        result = compute(params, given)
        if not isinstance(result, Answer):
            where, what = Place.of(compute), type(result).__name__
            raise InputError(f"{where}: returned {what}; allowed: PrivacyLoss")
        return result

    return checked


def mechanism(name: str, *, params: type[BaseModel], examples: tuple[dict, ...] = (), sample=None):
    """Register `audit(params, at_epsilon) -> PrivacyLoss`."""

    def entry(f):
        return Mechanism(name, params, checking(f), f.__module__, tuple(examples), sample)

    return MECHANISMS.register(name, entry)


def calibrator(name: str, *, params: type[BaseModel], examples: tuple[dict, ...] = ()):
    """Register `calibrate(params, target_epsilon, target_delta) -> Calibration`."""
    return CALIBRATORS.register(
        name, lambda f: Mechanism(name, params, f, f.__module__, tuple(examples))
    )
