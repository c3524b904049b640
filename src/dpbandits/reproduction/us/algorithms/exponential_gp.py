"""Exponential mechanism on the posterior mean of uniform samples, with a data-independent bound.

The score u_D(x, c) is mu_T(x, c), clipped to [-norm, norm] as |f| <= norm. `printed` divides it by
twice min(2 norm, 2 g B (1 + sqrt((T-1)/(4 tau)))), a bound on how far one record moves it. `exact`
has the least noise for clipped scores (docs/proofs/US.md, Section 7): in the worst case one record
moves some scores from norm to -norm and others from -norm to norm.
"""

import math
from typing import Literal

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE_JOINT
from dpbandits.kernel.problem import KernelSetting, problem_of, separate_runs
from dpbandits.kernel.usca import exponential_mechanism
from dpbandits.reproduction.us.algorithms.posterior_mean import uniform_posterior_mean

PRIVACY = "assumed: proved in docs/proofs/US.md, Section 7"


class CalibratedSetting(KernelSetting):
    """The scale of the mechanism's noise: the paper's, or the least with the same privacy."""

    calibration: Literal["printed", "exact"] = "printed"


@algorithm(
    "exponential-gp",
    setting=CalibratedSetting,
    source="baseline of ours",
    claim=PRIVACY,
    notion=PURE_JOINT,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = problem_of(setting)
    exact = setting.calibration == "exact"

    def run(seed, T):
        score = uniform_posterior_mean(problem.setting, T, seed).clip(-setting.norm, setting.norm)
        m = sensitivity_bound(setting, T)
        if exact:
            m = min(m, scale_of_clipped(setting, epsilon))
        return {"regret": problem.error_rate(exponential_mechanism(score, epsilon, m))}

    return separate_runs(run, streams, checkpoints)


def sensitivity_bound(setting: KernelSetting, rounds: int) -> float:
    """A bound on sup |u_D - u_D'| over all data sets, neighbours and cells, where
    g = max of s/(tau + s^2) over s <= 1."""
    tau = setting.tau
    gain = 1.0 / (2.0 * math.sqrt(tau)) if tau <= 1.0 else 1.0 / (1.0 + tau)
    surprise = setting.bound * (1.0 + math.sqrt((rounds - 1) / (4.0 * tau)))
    return float(min(2.0 * setting.norm, 2.0 * gain * surprise))


def scale_of_clipped(setting: KernelSetting, epsilon: float) -> float:
    """The m with which the mechanism's loss over all pairs of scores in [-norm, norm] is eps."""
    if math.isinf(epsilon):
        return setting.norm
    half, others = 0.5 * epsilon, setting.actions - 1
    if half > 300.0:  # asinh(sinh(x)/n) = x - ln n, to the last digit
        return setting.norm * epsilon / (2.0 * half - math.log(others))
    return setting.norm * epsilon / (half + math.asinh(math.sinh(half) / others))
