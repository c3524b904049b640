"""Calibrate policy (8) on a data file: the least regularisation whose audited loss meets a target.

The loss of a file is exact, but it is that file's: choosing eta by it does not by itself protect
other files, and the choice depends on the data. Use it to see what a privacy would cost.
"""

from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.divergences import log_normalise
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator
from dpbandits.core.models import Model
from dpbandits.offline.bandit.loss import KINDS, exact_loss
from dpbandits.offline.mechanisms import examples
from dpbandits.offline.mechanisms.inputs import Positive, kinds_of, read_bandit
from dpbandits.offline.problem import bandit_policy, objective, uniform_reference

STEP = 2.0**0.25
WIDEST = 1e9  # largest eta tried, in units of the reward range
FINEST = 1e-9
ABOVE = np.geomspace(1.0, 1e6, 241)  # multiples of the least eta that J chooses from
BETA0_TRIED = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)  # in units of the reward range


class BanditTarget(Model):
    data: str = Field(description="CSV file arm, reward")
    reference: str = Field("", description="CSV file arm, weight; left out: uniform")
    neighbours: str = Field("remove,add", description="what a neighbour may be, a comma list")
    reward_max: Positive = Field(1.0, description="largest reward")
    beta0: Annotated[float, Field(ge=0)] | None = Field(  # None: the best of BETA0_TRIED
        None, description="weight of the pessimism; left out: the best of a few"
    )
    objective_eta: Annotated[float, Field(ge=0)] = Field(
        0.0, description="eta of the J that eta and beta0 shall maximise; 0: the reward alone"
    )


@calibrator("kl-mab", params=BanditTarget, examples=examples.CALIBRATED)
def calibrate_bandit(params: BanditTarget, target_epsilon: float, target_delta: float = 0.0):
    """The eta (and, unless given, the beta0) of the highest empirical J that meet the target; by
    reward alone the smallest eta of each beta0."""
    kinds = kinds_of(params.neighbours, KINDS)
    played = read_bandit(params)
    data, log_reference = played.data, played.log_reference

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
    laws = {b: bandit_policy(data, eta, b, log_reference) for b, eta in found.items()}
    eta, beta0 = highest(found, laws, means, log_reference, params.objective_eta, meets)
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


def highest(least: dict, laws: dict, means, log_reference, weight: float, meets):
    """(eta, beta0) of the highest estimated J among the least eta of each beta0 and larger ones.

    laws: ln of the policy of each beta0 at its least eta, whose scores are divided by eta.
    """
    found = []
    if log_reference is None:
        log_reference = uniform_reference(len(means))
    some = np.isfinite(log_reference)
    log_reference, means = log_reference[some], np.asarray(means)[some]
    for beta0, eta in least.items():
        tilt = laws[beta0][some] - log_reference
        for above in ABOVE if weight else ABOVE[:1]:
            law = log_normalise(log_reference + tilt / above)
            value = float(objective(law, means, log_reference, weight))
            found.append((value, eta * above, beta0))
    found.sort(key=lambda row: -row[0])  # the first of equals stays first
    return next((eta, b) for _, eta, b in found if eta == least[b] or meets(b, eta))


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
