"""Calibrate policies (10) and (11) on a data file: the least eta whose audited loss meets a target.

As for bandits (calibration.py) the loss is that of this file. It is exact, or else a certified
upper bound, so that the target is met in either case; eta is found to PRECISION, from above.
"""

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, calibrator
from dpbandits.core.models import Model
from dpbandits.offline.linear.loss import KINDS as LINEAR_KINDS
from dpbandits.offline.mechanisms import examples
from dpbandits.offline.mechanisms.audits import linear_loss, preference_loss
from dpbandits.offline.mechanisms.calibration import highest
from dpbandits.offline.mechanisms.inputs import (
    LinearKeys,
    LinearParams,
    PreferenceKeys,
    PreferenceParams,
    kinds_of,
    read_linear,
    read_preferences,
)
from dpbandits.offline.preference.loss import KINDS as PREFERENCE_KINDS
from dpbandits.offline.preference.mle import SeparableData

PRECISION = 1e-3
DOUBLINGS = 60
BETA0_TRIED = (0.0, 0.5, 2.0)


Beta0 = Annotated[float, Field(ge=0)] | None
BETA0 = Field(None, description="weight of the pessimism; left out: the best of a few")
Weight = Annotated[float, Field(ge=0)]
OBJECTIVE = Field(0.0, description="eta of the J that the choice maximises; 0: the reward alone")


class LinearTarget(LinearKeys):
    beta0: Beta0 = BETA0
    objective_eta: Weight = OBJECTIVE


class PreferenceTarget(PreferenceKeys):
    beta0: Beta0 = BETA0
    objective_eta: Weight = OBJECTIVE


def least_eta(meets: Callable[[float], bool]) -> float | None:
    """The smallest eta, to PRECISION, found by doubling, halving and bisecting; None if none."""
    eta = 1.0
    for _ in range(DOUBLINGS):
        if meets(eta):
            break
        eta *= 2.0
    else:
        return None
    while eta > 1e-9 and meets(eta / 2.0):
        eta /= 2.0
    low, high = eta / 2.0, eta
    while high > low * (1 + PRECISION):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def _calibrate(params, read, loss, epsilon: float, delta: float) -> Calibration:
    """`read(eta, beta0)` an audit, `loss(audit, at_epsilon)` its loss."""

    def meets(eta, beta0):
        found = loss(read(eta, beta0), (epsilon,) if delta else ())
        return found.delta_at[epsilon] <= delta if delta else found.pure_epsilon <= epsilon

    tried = BETA0_TRIED if params.beta0 is None else (params.beta0,)
    etas = {beta0: least_eta(lambda eta, b=beta0: meets(eta, b)) for beta0 in tried}
    etas = {beta0: eta for beta0, eta in etas.items() if eta is not None}
    if not etas:
        raise InputError(
            f"{params.data}: no eta gives epsilon {epsilon:g} with delta {delta:g}; allowed: a "
            "larger epsilon or delta"
        )

    audits = {beta0: read(eta, beta0) for beta0, eta in etas.items()}
    laws = {beta0: audit.log_pi for beta0, audit in audits.items()}
    one = next(iter(audits.values()))
    choose = (one.fitted, one.log_reference, params.objective_eta)
    eta, beta0 = highest(etas, laws, *choose, lambda beta0, eta: meets(eta, beta0))
    audited = loss(read(eta, beta0), (epsilon,))
    reached = audited.pure_epsilon if delta == 0 else epsilon
    return Calibration({"eta": eta, "beta0": beta0}, audited, reached)


def _full(params, model: type[Model]):
    keys = params.model_dump(by_alias=True, exclude={"beta0", "objective_eta"})
    return lambda eta, beta0: model(**keys, eta=eta, beta0=beta0)


def _without(example: dict) -> dict:
    return {key: value for key, value in example.items() if key != "eta"}


@calibrator("kl-linear", params=LinearTarget, examples=tuple(map(_without, examples.LINE)))
def calibrate_linear(params, target_epsilon: float, target_delta: float = 0.0):
    """The eta (and, unless given, the beta0) of the highest fitted J that meet the target."""
    kinds, full = kinds_of(params.neighbours, LINEAR_KINDS), _full(params, LinearParams)

    def loss(audit, at_epsilon):
        return linear_loss(audit, kinds, at_epsilon)

    def read(eta, beta0):
        return read_linear(full(eta, beta0))

    return _calibrate(params, read, loss, target_epsilon, target_delta)


@calibrator("kl-rlhf", params=PreferenceTarget, examples=tuple(map(_without, examples.DUELS)))
def calibrate_preferences(params, target_epsilon: float, target_delta: float = 0.0):
    """The same for policy (11)."""
    kinds, full = kinds_of(params.neighbours, PREFERENCE_KINDS), _full(params, PreferenceParams)

    def loss(audit, at_epsilon):
        try:
            return preference_loss(audit, kinds, at_epsilon)
        except SeparableData as error:
            raise InputError(f"{params.data}: {error}") from None

    def read(eta, beta0):
        return read_preferences(full(eta, beta0))

    return _calibrate(params, read, loss, target_epsilon, target_delta)
