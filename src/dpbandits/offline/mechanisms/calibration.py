"""Calibrate policy (8) on a data file: the least regularisation whose audited loss meets a target.

The loss of a file is exact, but it is that file's: choosing eta by it does not by itself protect
other files, and the choice depends on the data. Use it to see what a privacy would cost.
"""

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator
from dpbandits.core.models import Model
from dpbandits.offline.bandit.loss import KINDS, exact_loss
from dpbandits.offline.mechanisms import examples
from dpbandits.offline.mechanisms.inputs import Positive, kinds_of, read_bandit
from dpbandits.offline.problem import bandit_policy

STEP = 2.0**0.25
WIDEST = 1e9  # largest eta tried, in units of the reward range
FINEST = 1e-9
BETA0_TRIED = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # in units of the reward range


class BanditTarget(Model):
    data: str = Field(description="CSV file arm, reward")
    reference: str = Field("", description="CSV file arm, weight; left out: uniform")
    neighbours: str = Field("remove,add", description="what a neighbour may be, a comma list")
    reward_max: Positive = Field(1.0, description="largest reward")
    beta0: Annotated[float, Field(ge=0)] | None = Field(  # None: the best of BETA0_TRIED
        None, description="weight of the pessimism; left out: the best of a few"
    )


@calibrator("kl-mab", params=BanditTarget, examples=examples.CALIBRATED)
def calibrate_bandit(params: BanditTarget, target_epsilon: float, target_delta: float = 0.0):
    """The smallest eta (and, unless given, the beta0 of best empirical reward) for the target."""
    kinds = kinds_of(params.neighbours, KINDS)
    data, _, _, log_reference = read_bandit(params)

    def loss(beta0, eta, at_epsilon=()):
        return exact_loss(data, eta, beta0, params.reward_max, kinds, at_epsilon, log_reference)

    def meets(beta0, eta):
        if target_delta == 0:
            return loss(beta0, eta).pure <= target_epsilon
        return loss(beta0, eta, (target_epsilon,)).delta[target_epsilon] <= target_delta

    tried = [b * params.reward_max for b in BETA0_TRIED] if params.beta0 is None else [params.beta0]
    found = {beta0: smallest(partial(meets, beta0), params.reward_max) for beta0 in tried}
    found = {beta0: eta for beta0, eta in found.items() if eta is not None}
    if not found:
        raise InputError(_refusal(params, data, target_epsilon, target_delta))
    means = data.sums / np.maximum(data.counts, 1)

    def reward(beta0):
        return float(np.exp(bandit_policy(data, found[beta0], beta0, log_reference)) @ means)

    beta0 = max(found, key=reward)
    eta = found[beta0]
    worst = loss(beta0, eta, (target_epsilon,))
    audited = PrivacyLoss(worst.pure, worst.delta, worst.neighbour, "exact")
    reached = (
        worst.pure if target_delta == 0 else _epsilon_at(partial(loss, beta0, eta), target_delta)
    )
    return Calibration({"eta": eta, "beta0": beta0}, audited, reached)


def smallest(meets, unit: float) -> float | None:
    """The smallest eta such that it and all larger ones tried meet the target; None if none."""
    eta = WIDEST * unit
    if not meets(eta):
        return None
    while meets(eta / STEP):
        eta /= STEP
        if eta < FINEST * unit:
            return eta
    low, high = eta / STEP, eta
    while high / low > 1 + 1e-10:
        middle = np.sqrt(low * high)
        low, high = (low, middle) if meets(middle) else (middle, high)
    return float(high)


def _epsilon_at(loss, target_delta: float) -> float:
    """The smallest eps whose delta is at most the target."""
    low, high = 0.0, 1.0
    delta = lambda eps: loss((eps,)).delta[eps]  # noqa: E731
    if delta(0.0) <= target_delta:
        return 0.0
    while delta(high) > target_delta:
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > target_delta else (low, middle)
    return high


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
