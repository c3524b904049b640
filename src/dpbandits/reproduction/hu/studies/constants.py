"""The open problem in numbers: regret in units of ln K/eps + ln K/Delta_min."""

from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from dpbandits.core.models import Model, Several
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.series import regret_of
from dpbandits.reproduction.series import AllSeries, Positives, algorithms_of
from dpbandits.reproduction.statistics import mean_with_band
from dpbandits.reproduction.studies import study

RERUN_FACTOR = 25  # the worst instance is rerun with this many times the seeds

Kind = Literal["equal", "sparse", "doubling"]


class Constants(Model):
    """Several gaps per kind: whether doubling epochs do well depends on the gap."""

    series: AllSeries
    kinds: tuple[Kind, ...]
    arms: tuple[Several, ...]
    gap: Positives  # the smallest
    epsilon_over_gap: Positives
    beyond: float  # the horizon is this times 1/(Delta_min min(Delta_min, eps))
    seeds: Several


def instance(kind: Kind, arms: int, gap: float) -> tuple[np.ndarray, float]:
    """Gaps, the best action last, and the best mean: in `sparse` all others are 0."""
    if kind == "doubling":
        gaps = np.minimum(gap * 2.0 ** np.arange(arms - 1), 0.75)
    else:
        gaps = np.full(arms - 1, gap)
    best = {"equal": 0.5 + gap, "sparse": gap, "doubling": 0.75}[kind]
    return np.concatenate([gaps[::-1], [0.0]]), best


@study("hu/constants", params=Constants, runs=algorithms_of)
def constants(params: Constants) -> pd.DataFrame:
    """`upper` is the proved bound, where there is one; `lower` that of all instances.
    A maximum of noisy means is biased upwards. So each series' worst instance is run again, with
    new seeds and more of them: `afresh` and its upper end, on that row alone."""
    rows, cases = [], []
    for kind, arms, gap, ratio in product(
        params.kinds, params.arms, params.gap, params.epsilon_over_gap
    ):
        gaps, best = instance(kind, arms, gap)
        epsilon = ratio * gap
        horizon = int(params.beyond / (gap * min(gap, epsilon)))
        unit = np.log(arms) * (1 / epsilon + 1 / gap)
        private = theory.theorem_l_bound(arms, gap, epsilon, horizon)
        lower = max(private, theory.theorem_m_bound(arms, gap, horizon))
        labels = {"instance": kind, "arms": arms, "gap": gap}
        labels |= {"epsilon_over_gap": ratio, "horizon": horizon}
        for series in params.series:
            regret = regret_of(series, best - gaps, epsilon, horizon, params.seeds)
            variant, upper = series.with_.get("variant"), np.nan
            if variant in theory.WEIGHT:
                upper = theory.theorem_o_instance_bound(gaps, epsilon, variant)
            bounds = {"algorithm": series.id, "lower": lower / unit, "upper": upper / unit}
            rows.append({**labels, **bounds, **mean_with_band(regret / unit)})
            cases.append((best - gaps, epsilon, horizon, unit))
    table = pd.DataFrame(rows)
    for series in params.series:
        worst = table["mean"].where(table["algorithm"] == series.id).idxmax()
        means, epsilon, horizon, unit = cases[worst]
        seeds = RERUN_FACTOR * params.seeds
        regret = regret_of(series, means, epsilon, horizon, seeds, first=params.seeds)
        band = mean_with_band(regret / unit)
        table.loc[worst, ["afresh", "afresh_high"]] = band["mean"], band["high"]
    return table
