"""How far mubar, the posterior mean and f are apart."""

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import study
from dpbandits.kernel import information, theory
from dpbandits.kernel.estimator import SurrogateCovariance, posterior_mean, tally
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.studies.grids import WithDelta, generators, summary
from dpbandits.kernel.usca import draw_Z


@study("us/estimation_error", params=WithDelta)
def estimation_error(params: WithDelta) -> pd.DataFrame:
    """sup over cells of |mubar - mu_T|, |mubar - f| and |mu_T - f|, beside the lemmas' bounds."""
    lines = []
    for name, setting in params.settings.items():
        F, R = theory.spectrum_of(setting).F, theory.sub_gaussian(setting)
        gains = information.information_gain(setting, max(params.horizons))
        for horizon in params.horizons:
            gain = gains[horizon - 1]
            known = {"points": setting.cells, "norm": setting.norm, "R": R}
            K = information.K_of(setting, horizon)
            given = (theory.effective_of(setting, horizon), K, params.delta)
            repaired = (
                theory.repaired_difference(*given, **known),
                theory.repaired_uniform_error(*given, **known),
                np.nan,
            )
            rngs = generators("estimation_error", setting, horizon, params.runs)
            found = _three_errors(setting, horizon, rngs)
            printed = {"B": setting.bound, "F": F, "R": R, "tau": setting.tau, "printed": "proof"}
            beta_1 = theory.beta_1(params.delta, **printed)
            uniform = theory.uniform_error_bound(gain, horizon, params.delta, **printed)
            limits = (beta_1 * np.sqrt(gain / horizon), uniform, np.nan)
            for column, quantity in enumerate(("mubar - mu_T", "mubar - f", "mu_T - f")):
                lines.append(
                    {"setting": name, "quantity": quantity, "t": horizon, "gamma": gain}
                    | {"tau": setting.tau, "runs": params.runs, "delta": params.delta}
                    | summary(found[:, column], limits[column])
                    | {"repaired": repaired[column]}
                )
    return pd.DataFrame(lines)


def _three_errors(setting: KernelSetting, horizon: int, rngs) -> np.ndarray:
    """(runs, 3)"""
    problem = problem_of(setting)
    truth, apart = problem.values.reshape(-1), []
    for rng in rngs:
        observed = problem.observe(rng, horizon)
        Z, K = draw_Z(problem, rng, horizon)
        mubar = SurrogateCovariance(setting, Z / K).mean(tally(setting.cells, *observed)[1])
        mu = posterior_mean(setting, *observed)
        apart.append([mubar - mu, mubar - truth, mu - truth])
    return np.abs(apart).max(axis=2)
