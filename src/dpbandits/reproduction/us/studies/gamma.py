"""gamma_T and sup sigmabar^2 against T."""

import pandas as pd

from dpbandits.kernel import information
from dpbandits.kernel.estimator import SurrogateCovariance
from dpbandits.kernel.problem import problem_of
from dpbandits.kernel.usca import draw_Z
from dpbandits.reproduction.studies import study
from dpbandits.reproduction.us import theory
from dpbandits.reproduction.us.gain_bounds import gain_bounds
from dpbandits.reproduction.us.studies.grids import WithDelta, generators, summary

EPSILON = 1.0  # of `useful_from`, the first T at which the printed bound is below the trivial one


@study("us/gamma", params=WithDelta)
def gamma(params: WithDelta) -> pd.DataFrame:
    """Lower and upper bounds on gamma_T, K, and sup sigmabar^2 beside Lemma 7.1's bound."""
    rows = []
    for name, setting in params.settings.items():
        problem, F = problem_of(setting), theory.spectrum_of(setting).F
        information.information_gain(setting, max(params.horizons))
        useful = theory.first_useful_horizon(setting, EPSILON, params.delta)
        for horizon in params.horizons:
            low, high = gain_bounds(setting, horizon)
            K = information.K_of(setting, horizon)
            effective = theory.effective_of(setting, horizon)
            repaired = theory.corrected_variance_bound(effective, K, params.delta)
            suprema = []
            for rng in generators("gamma", setting, horizon, params.runs):
                Z, K = draw_Z(problem, rng, horizon)
                suprema.append(SurrogateCovariance(setting, Z / K).variance().max())
            rows.append(
                {"setting": name, "t": horizon, "gamma": low, "gamma_high": high, "F": F}
                | {"tau": setting.tau, "runs": params.runs}
                | {"delta": params.delta, "largest_known": effective.largest}
                | {"repaired": repaired, "useful_from": useful}
                | summary(suprema, theory.variance_bound(low, horizon, F))
            )
    return pd.DataFrame(rows)
