"""The distances between mubar, the posterior mean and f."""

import numpy as np
import pandas as pd

from dpbandits.kernel import information
from dpbandits.kernel.estimator import SurrogateCovariance, posterior_mean, tally
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import draw_Z
from dpbandits.reproduction.studies import study
from dpbandits.reproduction.us import theory
from dpbandits.reproduction.us.studies.grids import WithDelta, summary


@study("us/estimation_error", params=WithDelta)
def estimation_error(params: WithDelta) -> pd.DataFrame:
    """sup over cells of |mubar - mu_T|, |mubar - f| and |mu_T - f|, beside the lemmas' bounds."""
    rows = []
    for name, setting, horizon, rngs in params.cells("estimation_error"):
        F, R = theory.spectrum_of(setting).F, theory.sub_gaussian(setting)
        gain = information.information_gain(setting, horizon)[-1]
        known = theory.Constants(setting.bound, F, R, setting.tau, printed="proof")
        uniform = theory.uniform_error_bound(gain, horizon, params.delta, known)
        printed = (theory.beta_1(params.delta, known) * np.sqrt(gain / horizon), uniform, np.nan)
        of_run = params.known(setting, horizon)
        of_problem = {"points": setting.cells, "norm": setting.norm, "R": R}
        corrected = (
            theory.corrected_difference(*of_run, **of_problem),
            theory.corrected_uniform_error(*of_run, **of_problem),
            np.nan,
        )
        errors = _three_errors(setting, horizon, rngs)
        for column, quantity in enumerate(("mubar - mu_T", "mubar - f", "mu_T - f")):
            rows.append(
                {"setting": name, "quantity": quantity, "t": horizon, "gamma": gain}
                | {"tau": setting.tau, "runs": params.runs, "delta": params.delta}
                | summary(errors[:, column], printed[column])
                | {"repaired": corrected[column]}
            )
    return pd.DataFrame(rows)


def _three_errors(setting: KernelSetting, horizon: int, rngs) -> np.ndarray:
    """(runs, 3), the suprema of |mubar - mu_T|, |mubar - f| and |mu_T - f|."""
    problem = problem_of(setting)
    f, differences = problem.values.reshape(-1), []
    for rng in rngs:
        observed = problem.observe(rng, horizon)
        Z, K = draw_Z(problem, rng, horizon)
        mubar = SurrogateCovariance(setting, Z / K).mean(tally(setting.cells, *observed)[1])
        mu = posterior_mean(setting, *observed)
        differences.append([mubar - mu, mubar - f, mu - f])
    return np.abs(differences).max(axis=2)
