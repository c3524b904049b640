"""The exact privacy loss of USCA's output, given Z and the queries (it holds for all of them).

With M of estimator.py, replacing the record (a, c, y) by (a, c', y') moves mubar by
M[:, (a, c')] y' - M[:, (a, c)] y, and the output is a finite distribution per context: the loss of
a pair is exact up to rounding.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpbandits.core.divergences import pure_epsilon
from dpbandits.kernel.estimator import SurrogateCovariance
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import draw_Z, exact_scale, log_output, printed_scale


@dataclass
class Instance:
    """One Z of a setting, as the operator M, and the mechanism's noise scale."""

    setting: KernelSetting
    operator: np.ndarray  # (cells, cells)
    epsilon: float
    calibration: str = "printed"

    @property
    def sensitivity(self) -> float:
        """m of Def. 3.2."""
        if self.calibration == "exact":
            return exact_scale(self.setting, self.ranges.max())
        return printed_scale(self.setting, np.diag(self.operator).max())

    @cached_property
    def ranges(self) -> np.ndarray:
        """(contexts, cells): how far apart one reward of 1 at a cell moves the actions' scores."""
        by_action = self.operator.reshape(self.setting.actions, self.setting.contexts, -1)
        return np.ptp(by_action, axis=0)

    def mean(self, cells: np.ndarray, rewards: np.ndarray) -> np.ndarray:
        return self.operator[:, cells] @ rewards

    def log_outputs(self, means: np.ndarray) -> np.ndarray:
        """(..., contexts, actions) from (..., cells)."""
        scores = means.reshape(*means.shape[:-1], self.setting.actions, self.setting.contexts)
        scores = np.moveaxis(scores, -2, 0)
        logs = log_output(scores.reshape(len(scores), -1), self.epsilon, self.sensitivity)
        return np.moveaxis(logs.reshape(scores.shape), 0, -1)


def draw_instance(
    setting: KernelSetting, epsilon: float, horizon: int, rng, calibration: str = "printed"
) -> Instance:
    Z, K = draw_Z(problem_of(setting), rng, horizon)
    operator = SurrogateCovariance(setting, Z / K).matrix()
    return Instance(setting, operator, epsilon, calibration)


def loss_over_all_data(instance: Instance) -> float:
    return worst_over_all_data(instance)[0]


def worst_over_all_data(instance: Instance) -> tuple[float, dict]:
    """Supremum over every data set and neighbour, however long: max h - min h at a context.

    The loss at x is h(x) - ln E exp(h), h = eps (change of mubar)/(2m), E over the output before
    the change: never above the range of h over actions, whatever the other records; it comes close
    if these concentrate the output on the argmin of h. The range is subadditive: nothing is worse
    than B turned into -B at one cell.
    """
    setting = instance.setting
    ranges = instance.ranges
    seen, cell = np.unravel_index(ranges.argmax(), ranges.shape)
    query, context = divmod(int(cell), setting.contexts)
    loss = instance.epsilon * setting.bound * ranges[seen, cell] / instance.sensitivity
    where = {"query": query, "context": context, "new_context": context}
    where |= {"reward": setting.bound, "new_reward": -setting.bound, "final_context": int(seen)}
    return float(loss), where


def attained_loss(instance: Instance, records: int) -> float:
    """The loss, over epsilon, of one pair: a reward B against -B, the other records concentrating
    the output on the action with the smallest M(., cell)."""
    setting, (_, worst) = instance.setting, worst_over_all_data(instance)
    cell = worst["query"] * setting.contexts + worst["context"]
    scores = instance.operator[worst["final_context"] :: setting.contexts, cell]
    lifted = np.argmin(scores) * setting.contexts + worst["final_context"]
    cells = np.array([cell, *[lifted] * (records - 1)])
    rewards = np.full(records, setting.bound)
    changed_rewards = np.where(np.arange(records) == 0, -1.0, 1.0) * setting.bound
    log_p = instance.log_outputs(instance.mean(cells, rewards))
    log_q = instance.log_outputs(instance.mean(cells, changed_rewards))
    return float(pure_epsilon(log_p, log_q).max() / instance.epsilon)


def sensitivity_over_all_data(instance: Instance) -> float:
    """The exact worst |mubar - mubar'|: B max over w, x_t of |M(w,v)| + |M(w,v')|, v, v' at x_t."""
    setting = instance.setting
    per_action = np.abs(instance.operator).reshape(-1, setting.actions, setting.contexts)
    largest = np.sort(per_action, axis=2)[:, :, -1]  # c' = c is allowed, with y' = -y
    return 2.0 * setting.bound * float(largest.max())
