"""Section 7: eps x regret over K, on doubling gaps and on equal gaps."""

from itertools import product
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model, Several
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.series import regret_of
from dpbandits.reproduction.series import AllSeries, Positives, algorithms_of
from dpbandits.reproduction.statistics import mean_with_band
from dpbandits.reproduction.studies import study


class Conjecture(Model):
    """Instances of Section 7 with Delta_min = 2^-(K-1), so that the largest gap is 1/2."""

    series: AllSeries
    arms: tuple[Several, ...]
    epsilon_over_gap: Positives  # eps = this times Delta_min
    beyond: Annotated[float, Field(ge=1)]  # the horizon is this times 1/(eps Delta_min)
    seeds: Several


def conjecture_gaps(kind: str, arms: int) -> np.ndarray:
    """Delta_j = Delta_min 2^(j-2) for j = 2..K (doubling), or all Delta_min (equal)."""
    smallest = 2.0 ** -(arms - 1)
    powers = np.arange(arms - 1) if kind == "doubling" else np.zeros(arms - 1)
    return np.concatenate([[0.0], smallest * 2.0**powers])


@study("hu/conjecture", params=Conjecture, runs=algorithms_of)
def conjecture(params: Conjecture) -> pd.DataFrame:
    """Best action last, best mean 3/4; beside Theorem 9's bound and the one of the optimal rate."""
    rows = []
    for kind, arms, ratio in product(("doubling", "equal"), params.arms, params.epsilon_over_gap):
        gaps = conjecture_gaps(kind, arms)
        epsilon = ratio * gaps[1]
        horizon = int(min(2.0**52, params.beyond / (epsilon * gaps[1])))
        theorem_9 = theory.rnm_ftnl_bound(gaps, epsilon, horizon)
        optimal = theory.theorem_o_instance_bound(gaps, epsilon, "phase")
        for series in params.series:
            regret = regret_of(series, (0.75 - gaps)[::-1], epsilon, horizon, params.seeds)
            labels = {"instance": kind, "arms": arms, "epsilon_over_gap": ratio}
            labels |= {"algorithm": series.id, "horizon": horizon}
            labels |= {"theorem9": epsilon * theorem_9, "optimal": epsilon * optimal}
            rows.append({**labels, **mean_with_band(epsilon * regret)})
    return pd.DataFrame(rows)
