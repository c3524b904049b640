"""Calibrate the policies on a user's own data.

A calibration finds the eta and beta0 of the highest J whose loss on this data meets a target.
Choosing eta by it does not by itself protect other data, and the choice depends on the data. Use it
to see what a privacy would cost.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from pydantic import Field, create_model

from dpbandits.audit.computed.calibrate import meets as reaches
from dpbandits.core.bisection import last
from dpbandits.core.divergences import log_normalise
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration
from dpbandits.offline.policy import POLICIES
from dpbandits.offline.problem import Pessimism, PolicySetting, objective

WIDEST, FINEST = 1e9, 1e-9  # etas tried, in units of the largest reward
ABOVE = np.geomspace(1.0, 1e6, 241)  # multiples of the least eta that J chooses from


def target_of(model: type[PolicySetting]) -> type[PolicySetting]:
    """The keys of a calibration: those of the policy, but for what is found."""
    found = {
        "eta": (type(None), Field(None, description="is found")),
        "beta0": (Pessimism | None, Field(None, description="left out: the best of a few")),
        "objective_eta": (Pessimism, Field(0.0, description="eta of the J; 0: the reward alone")),
    }
    return create_model(f"{model.__name__}Target", __base__=model, **found)


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
    return last(meets, eta, eta / step, precision)


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


def calibrated(name: str, params, epsilon: float, delta: float = 0.0) -> Calibration:
    """On the way to eta no additions are searched for: the theorem bounds those that would be
    found."""
    policy = POLICIES[name](params)
    at, unit = (epsilon,) if delta else (), policy.reward_range(params)[1]

    def meets(beta0: float, eta: float) -> bool:
        loss = policy.having(beta0=beta0, eta=eta).loss(at_epsilon=at, searched=False)
        return reaches(loss, epsilon, delta)

    start, step, precision = policy.etas
    tried = [b * unit for b in policy.beta0s] if params.beta0 is None else [params.beta0]
    search = start * unit, unit, step, precision
    least = {b: least_eta(partial(meets, b), *search) for b in tried}
    least = {beta0: eta for beta0, eta in least.items() if eta is not None}
    if not least:
        loss = policy.having(beta0=tried[0], eta=unit).loss(searched=False)
        why = loss.worst_neighbour.get("theorem", "an arm with fewer than 2 records always shows")
        raise InputError(f"calibrate {name}: no eta gives epsilon {epsilon:g} with delta {delta:g} "
                         f"({why}); allowed: larger ones, or other neighbours")  # fmt: skip
    laws = {beta0: policy.having(beta0=beta0, eta=eta).law() for beta0, eta in least.items()}
    beta0, eta = next(iter(least.items()))
    fitted = policy.having(beta0=beta0, eta=eta).fitted()
    eta, beta0 = highest(least, laws, *fitted, params.objective_eta, meets)
    audited = policy.having(beta0=beta0, eta=eta).loss(at_epsilon=(epsilon,))
    reached = epsilon if delta else audited.pure_epsilon
    return Calibration({"eta": eta, "beta0": beta0}, audited, reached)
