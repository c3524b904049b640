"""Exponential mechanism on the posterior mean of uniform samples, with a data-independent bound.

Score u_D(x, c) = mu_T(x, c) clipped to [-norm, norm], where f lives (as |f| <= norm). If one record
(c_t, y_t) is replaced, |u_D - u_D'| <= min(2 norm, 2 g B (1 + sqrt((T-1)/(4 tau)))) for every cell,
with g = max over s in [0, 1] of s/(tau + s^2), that is 1/(2 sqrt(tau)) for tau <= 1, 1/(1 + tau)
above. Proof. Let mu_0, sigma_0 be the posterior without record t, v its cell.
- The update is mu - mu_0 = cov_0(w, v) (y - mu_0(v))/(tau + sigma_0^2(v)), and |cov_0(w, v)| is at
  most sigma_0(w) sigma_0(v) <= sigma_0(v): the factor is at most g.
- mu_0(v) = a'Y with |a|^2 = k'(K + tau I)^-2 k <= max_s s^2/(s^2 + tau)^2 = 1/(4 tau), so
  |mu_0(v)| <= B sqrt((T-1)/(4 tau)), and |y - mu_0(v)| <= B (1 + sqrt((T-1)/(4 tau))).
- D and D' are both one such step away from the same mu_0; clipping contracts. []
The bound does not fall with T, and none can: a record alone in its region moves mu_T by B/(1+tau).
"""

import math

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import PURE_JOINT
from dpbandits.core.trajectories import Trajectories
from dpbandits.kernel.engine.runs import each_run
from dpbandits.kernel.posterior_mean import uniform_posterior_mean
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import exponential_mechanism

PRIVACY = "assumed: eps-JDP by the sensitivity bound proved in the module exponential_gp"


@algorithm(
    "exponential-gp",
    setting=KernelSetting,
    source="baseline of ours",
    claim=PRIVACY,
    notion=PURE_JOINT,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = problem_of(setting)

    def run(rng, t):
        score = uniform_posterior_mean(problem, rng, t).clip(-setting.norm, setting.norm)
        sensitivity = sensitivity_bound(setting, t)
        output = exponential_mechanism(score.reshape(problem.values.shape), epsilon, sensitivity)
        return {"regret": problem.error_rate(output)}

    curves = each_run(run, streams, checkpoints)
    return Trajectories(curves.pop("regret"), curves=curves)


def sensitivity_bound(setting: KernelSetting, rounds: int) -> float:
    """sup |u_D - u_D'| over all data sets, neighbours and cells, from the module's proof."""
    tau = setting.tau
    gain = 1.0 / (2.0 * math.sqrt(tau)) if tau <= 1.0 else 1.0 / (1.0 + tau)
    surprise = setting.bound * (1.0 + math.sqrt((rounds - 1) / (4.0 * tau)))
    return float(min(2.0 * setting.norm, 2.0 * gain * surprise))
