"""Calibrate KL's policies on a data file: the least eta whose audited loss meets a target.

The loss is that of this file. Choosing eta by it does not by itself protect other files, and the
choice depends on the data. Use it to see what a privacy would cost. The loss is exact, or an upper
bound by a repaired theorem, so the target is met in either case.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field
from scipy.optimize import brentq

from dpbandits.core.divergences import log_normalise
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator
from dpbandits.core.models import Model
from dpbandits.offline.losses.bandit import KINDS, exact_loss
from dpbandits.offline.mechanisms import examples
from dpbandits.offline.mechanisms.audits import (
    LINEAR,
    PREFERENCES,
    Policy,
    concluded,
    is_exact,
    worst_of,
)
from dpbandits.offline.mechanisms.inputs import (
    BanditKeys,
    LinearKeys,
    PreferenceKeys,
    kinds_of,
    read_bandit,
)
from dpbandits.offline.neighbours import ENUMERATED
from dpbandits.offline.pessimistic_mab import bandit_policy
from dpbandits.offline.problem import objective

WIDEST, FINEST = 1e9, 1e-9  # etas tried, in units of the largest reward
ABOVE = np.geomspace(1.0, 1e6, 241)  # multiples of the least eta that J chooses from
BANDIT_BETA0 = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # tried, in units of the reward range
FEATURE_BETA0 = (0.0, 0.5, 2.0)


class Target(Model):
    beta0: Annotated[float, Field(ge=0)] | None = Field(
        None, description="weight of the pessimism; left out: the best of a few"
    )
    objective_eta: Annotated[float, Field(ge=0)] = Field(
        0.0, description="eta of the J that the choice maximises; 0: the reward alone"
    )


class BanditTarget(Target, BanditKeys):
    """A calibration of policy (8)."""


class LinearTarget(Target, LinearKeys):
    """A calibration of policy (10)."""


class PreferenceTarget(Target, PreferenceKeys):
    """A calibration of policy (11)."""


def least_eta(meets: Callable[[float], bool], start: float, unit: float, step, precision):
    """The least eta such that it and all larger ones tried meet the target; None if none does.

    The answer itself meets the target, whatever the precision (a root of a function might not).
    """
    eta = start
    while not meets(eta):
        eta *= step
        if eta > WIDEST * unit:
            return None
    while eta > FINEST * unit and meets(eta / step):
        eta /= step
    low, high = eta / step, eta
    while high > low * (1 + precision):
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def highest(least: dict, laws: dict, means, log_reference, weight: float, meets):
    """(eta, beta0) of the highest estimated J among the least eta of each beta0 and larger ones.

    laws: ln of the policy of each beta0 at its least eta, whose scores are divided by eta.
    """
    choices = []
    allowed = np.isfinite(log_reference)
    log_reference, means = log_reference[allowed], np.asarray(means)[allowed]
    for beta0, eta in least.items():
        tilt = laws[beta0][allowed] - log_reference
        for above in ABOVE if weight else ABOVE[:1]:
            law = log_normalise(log_reference + tilt / above)
            value = float(objective(law, means, log_reference, weight))
            choices.append((value, eta * above, beta0))
    choices.sort(key=lambda choice: -choice[0])  # the first of equals stays first
    return next((eta, b) for _, eta, b in choices if eta == least[b] or meets(b, eta))


# --- multi-armed bandit -------------------------------------------------------------------------
@calibrator("kl-mab", params=BanditTarget, examples=examples.CALIBRATED)
def calibrate_bandit(params: BanditTarget, target_epsilon: float, target_delta: float = 0.0):
    """The eta (and, unless given, the beta0) of the highest empirical J that meet the target; by
    reward alone the smallest eta of each beta0."""
    kinds = kinds_of(params.neighbours, KINDS)
    file = read_bandit(params)
    data, log_reference = file.data, file.log_reference

    def loss(beta0, eta, at_epsilon=()):
        options = eta, beta0, params.reward_max, kinds, at_epsilon
        return exact_loss(data, *options, log_reference=log_reference)

    def meets(beta0, eta):
        if target_delta == 0:
            return loss(beta0, eta).pure <= target_epsilon
        return loss(beta0, eta, (target_epsilon,)).delta[target_epsilon] <= target_delta

    unit = params.reward_max
    tried = [b * unit for b in BANDIT_BETA0] if params.beta0 is None else [params.beta0]
    etas = {b: least_eta(partial(meets, b), WIDEST * unit, unit, 2**0.25, 1e-10) for b in tried}
    etas = {beta0: eta for beta0, eta in etas.items() if eta is not None}
    if not etas:
        raise InputError(_refusal(params, data, target_epsilon, target_delta))
    means = data.sums / np.maximum(data.counts, 1)
    laws = {b: bandit_policy(data, eta, b, log_reference) for b, eta in etas.items()}
    eta, beta0 = highest(etas, laws, means, log_reference, params.objective_eta, meets)
    worst = loss(beta0, eta, (target_epsilon,))
    audited = PrivacyLoss(worst.pure, worst.delta, worst.neighbour, "exact")
    reached = worst.pure
    if target_delta > 0:
        reached = epsilon_at(lambda e: loss(beta0, eta, (e,)).delta[e], target_delta)
    return Calibration({"eta": eta, "beta0": beta0}, audited, reached)


def epsilon_at(delta: Callable[[float], float], target: float) -> float:
    """The eps at which delta(eps), which falls, is the target."""
    if delta(0.0) <= target:
        return 0.0
    high = 1.0
    while delta(high) > target:
        high *= 2
    return brentq(lambda e: delta(e) - target, 0.0, high, xtol=1e-12)


def _refusal(params, data, epsilon, delta) -> str:
    poor = np.flatnonzero(data.counts < 2)
    why = (
        f"arm {poor[0]} has {data.counts[poor[0]]} records, and a neighbour changes whether it can "
        "be chosen at all"
        if len(poor)
        else "the reference policy leaves no other choice"
    )
    return (
        f"{params.data}: no eta gives epsilon {epsilon:g} with delta {delta:g}: {why}; allowed: a "
        "larger delta, or a reference without such arms"
    )


# --- linear bandit and RLHF ---------------------------------------------------------------------
@calibrator("kl-linear", params=LinearTarget, examples=examples.LINE_TARGETS)
def calibrate_linear(params, target_epsilon: float, target_delta: float = 0.0):
    """The eta (and, unless given, the beta0) of the highest fitted J that meet the target."""
    return _calibrate(LINEAR, params, target_epsilon, target_delta)


@calibrator("kl-rlhf", params=PreferenceTarget, examples=examples.DUEL_TARGETS)
def calibrate_preferences(params, target_epsilon: float, target_delta: float = 0.0):
    """The same for policy (11)."""
    return _calibrate(PREFERENCES, params, target_epsilon, target_delta)


def _calibrate(policy: Policy, params, epsilon: float, delta: float) -> Calibration:
    """On the way to eta no additions are searched for: the theorem bounds those that would be
    found."""
    kinds = kinds_of(params.neighbours, policy.kinds)
    keys = params.model_dump(by_alias=True, exclude={"beta0", "objective_eta"})

    def read(eta, beta0):
        return policy.read(policy.params(**keys, eta=eta, beta0=beta0))

    def loss(audit, compared, at_epsilon):
        """With the worst neighbours of the kinds `compared`, and the theorem for all kinds."""
        worst = worst_of(params, audit, compared, at_epsilon)
        return concluded(audit, kinds, worst, policy.bounds(audit, kinds))

    enumerated = tuple(ENUMERATED.intersection(kinds))

    def meets(beta0, eta):
        reached = loss(read(eta, beta0), enumerated, (epsilon,) if delta else ())
        return reached.delta_at[epsilon] <= delta if delta else reached.pure_epsilon <= epsilon

    tried = FEATURE_BETA0 if params.beta0 is None else (params.beta0,)
    etas = {b: least_eta(partial(meets, b), 1.0, 1.0, 2.0, 1e-3) for b in tried}
    etas = {beta0: eta for beta0, eta in etas.items() if eta is not None}
    if not etas:
        audit, why = read(1.0, tried[0]), ""
        if not is_exact(audit, kinds):
            why = f" (theorem: {loss(audit, (), ()).worst_neighbour['theorem']})"
        raise InputError(
            f"{params.data}: no eta gives epsilon {epsilon:g} with delta {delta:g}{why}; "
            "allowed: a larger epsilon or delta, or other --neighbours"
        )
    audits = {beta0: read(eta, beta0) for beta0, eta in etas.items()}
    laws = {beta0: audit.log_pi for beta0, audit in audits.items()}
    first = next(iter(audits.values()))
    choice = first.fitted, first.log_reference, params.objective_eta
    eta, beta0 = highest(etas, laws, *choice, meets)
    audited = loss(read(eta, beta0), kinds, (epsilon,))
    reached = audited.pure_epsilon if delta == 0 else epsilon
    return Calibration({"eta": eta, "beta0": beta0}, audited, reached)
