"""Theorem 12 on its packing class: the largest regret over the class at the smallest T allowed."""

from itertools import product

import numpy as np
import pandas as pd

from dpbandits.core.models import Model, Several
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.series import regret_of
from dpbandits.reproduction.series import AllSeries, Positives, algorithms_of
from dpbandits.reproduction.statistics import mean_with_band
from dpbandits.reproduction.studies import study


class LowerBound(Model):
    """The packing class of Theorem 12."""

    series: AllSeries
    arms: tuple[Several, ...]
    gap: Positives
    epsilon: Positives
    seeds: Several


@study("hu/lower_bound", params=LowerBound, runs=algorithms_of)
def lower_bound(params: LowerBound) -> pd.DataFrame:
    """Theorem 12 beside RNM-FTNL and FTNL.
    They treat all actions alike after round 1, so their regret has the same law on all instances
    whose best action is not the first. Two instances are simulated; the larger mean is that of the
    class."""
    rows = []
    for arms, gap, epsilon in product(params.arms, params.gap, params.epsilon):
        private = theory.lower_bound_rounds(arms, gap, epsilon)
        horizon = int(np.ceil(max(private, np.log(arms) / (16 * gap**2))))
        for series in params.series:
            regrets = {
                best: regret_of(series, means, epsilon, horizon, params.seeds)
                for best, means in theory.packing_means(arms, gap).items()
            }
            best = max(regrets, key=lambda name: regrets[name].mean())
            labels = {"arms": arms, "gap": gap, "epsilon": epsilon, "algorithm": series.id}
            labels |= {"horizon": horizon, "best": best}
            rows.append({**labels, **mean_with_band(regrets[best])})
    return pd.DataFrame(rows)
