"""gamma_T and sup sigmabar^2 against T."""

import pandas as pd

from dpbandits.kernel.estimator import SurrogateCovariance
from dpbandits.kernel.problem import problem_of
from dpbandits.kernel.usca import draw_Z
from dpbandits.reproduction.studies import study
from dpbandits.reproduction.us import theory
from dpbandits.reproduction.us.gain_bounds import gain_bounds
from dpbandits.reproduction.us.studies.grids import WithDelta, summary

EPSILON = 1.0  # of `useful_from`, the first T at which the printed bound is below the trivial one


@study("us/gamma", params=WithDelta)
def gamma(params: WithDelta) -> pd.DataFrame:
    """Lower and upper bounds on gamma_T, K, and sup sigmabar^2 beside Lemma 7.1's bound."""
    rows = []
    for name, setting, horizon, rngs in params.cells("gamma"):
        problem, F = problem_of(setting), theory.spectrum_of(setting).F
        low, high = gain_bounds(setting, horizon)
        known = params.known(setting, horizon)
        suprema = []
        for rng in rngs:
            Z, K = draw_Z(problem, rng, horizon)
            suprema.append(SurrogateCovariance(setting, Z / K).variance().max())
        rows.append(
            {"setting": name, "t": horizon, "gamma": low, "gamma_high": high, "F": F}
            | {"tau": setting.tau, "runs": params.runs}
            | {"delta": params.delta, "largest_known": known[0].largest}
            | {"repaired": theory.corrected_variance_bound(*known)}
            | {"useful_from": theory.first_useful_horizon(setting, EPSILON, params.delta)}
            | summary(suprema, theory.variance_bound(low, horizon, F))
        )
    return pd.DataFrame(rows)
