"""The exact privacy loss of USCA's output over all data sets."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpbandits.core.divergences import pure_epsilon
from dpbandits.kernel import privacy as exact
from dpbandits.kernel.usca import log_output
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.studies import study
from dpbandits.reproduction.us.studies.grids import Grid


class PrivacyGrid(Grid):
    epsilon: Positives = (1.0,)


@study("us/privacy", params=PrivacyGrid)
def privacy(params: PrivacyGrid) -> pd.DataFrame:
    """Exact worst loss and sensitivity over all data sets, given Z, as fractions of the claimed
    values; at the least noise also the loss of one data set of `horizon` records."""
    rows = []
    for name, setting, horizon, rngs in params.cells("privacy"):
        for run, rng in enumerate(rngs):
            instance = exact.draw_law(setting, 1.0, horizon, rng)
            loss = exact.worst_over_all_data(instance)[0]  # proportional to eps, as h is
            ratio = sensitivity_over_all_data(instance) / instance.sensitivity
            least = replace(instance, calibration="exact")
            rows += [
                {"setting": name, "tau": setting.tau, "t": horizon, "epsilon": epsilon}
                | {"run": run}
                | {"loss_over_epsilon": loss, "sensitivity_over_bound": ratio}
                | {"loss_at_least_noise": exact.worst_over_all_data(least)[0]}
                | {"attained": attained_loss(replace(least, epsilon=epsilon), horizon)}
                for epsilon in params.epsilon
            ]
    return pd.DataFrame(rows)


def attained_loss(instance: exact.OutputLaw, records: int) -> float:
    """The loss, over epsilon, of one pair of data sets: a reward B turns into -B, and the other
    records concentrate the output on the action with the smallest M(., cell)."""
    setting, (_, worst) = instance.setting, exact.worst_over_all_data(instance)
    cell = worst["query"] * setting.contexts + worst["context"]
    scores = instance.operator[worst["final_context"] :: setting.contexts, cell]
    lowest = np.argmin(scores) * setting.contexts + worst["final_context"]
    cells = np.array([cell, *[lowest] * (records - 1)])
    rewards = np.full(records, setting.bound)
    changed = np.where(np.arange(records) == 0, -1.0, 1.0) * setting.bound
    means = (instance.operator[:, cells] @ y for y in (rewards, changed))
    log_p, log_q = (log_outputs(instance, mean) for mean in means)
    return float(pure_epsilon(log_p, log_q).max() / instance.epsilon)


def log_outputs(law: exact.OutputLaw, means: np.ndarray) -> np.ndarray:
    """ln of the output's probabilities (..., contexts, actions) from means (..., cells)."""
    scores = means.reshape(*means.shape[:-1], law.setting.actions, law.setting.contexts)
    scores = np.moveaxis(scores, -2, 0)
    logs = log_output(scores.reshape(len(scores), -1), law.epsilon, law.sensitivity)
    return np.moveaxis(logs.reshape(scores.shape), 0, -1)


def sensitivity_over_all_data(instance: exact.OutputLaw) -> float:
    """The exact worst |mubar - mubar'|: B max over w, x_t of |M(w,v)| + |M(w,v')|, v, v' at x_t."""
    setting = instance.setting
    per_action = np.abs(instance.operator).reshape(-1, setting.actions, setting.contexts)
    largest = np.sort(per_action, axis=2)[:, :, -1]  # c' = c is allowed, with y' = -y
    return 2.0 * setting.bound * float(largest.max())
