"""The open problem in numbers: regret in units of ln K/eps + ln K/Delta_min."""

from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import study
from dpbandits.core.models import Model
from dpbandits.core.series import AllSeries, algorithms_of
from dpbandits.core.statistics import mean_with_band
from dpbandits.stochastic import optimal_rate
from dpbandits.stochastic.series import Counts, Positives, Seeds, regret_of

RERUN_FACTOR = 25  # the worst instance is rerun with this many times the seeds

Kind = Literal["equal", "sparse", "doubling"]


class Constants(Model):
    """Several gaps per kind: an algorithm of doubling epochs does well or badly by turns."""

    series: AllSeries
    kinds: tuple[Kind, ...]
    arms: Counts
    gap: Positives  # the smallest
    epsilon_over_gap: Positives
    beyond: float  # the horizon is this times 1/(Delta_min min(Delta_min, eps))
    seeds: Seeds


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
    new seeds and more of them: `afresh` and its band, on that row alone.
    """
    table = _all_instances(params)
    for series in params.series:
        at = table["mean"].where(table["algorithm"] == series.id).idxmax()
        row = table.loc[at]
        gaps, best = instance(row["instance"], row["arms"], row["gap"])
        epsilon = row["epsilon_over_gap"] * row["gap"]
        place = (
            series,
            best - gaps,
            epsilon,
            row["horizon"],
            RERUN_FACTOR * params.seeds,
            params.seeds,
        )
        unit = np.log(row["arms"]) * (1 / epsilon + 1 / row["gap"])
        again = mean_with_band(regret_of(*place) / unit)
        columns = ["afresh", "afresh_low", "afresh_high"]
        table.loc[at, columns] = again["mean"], again["low"], again["high"]
    return table


def _all_instances(params: Constants) -> pd.DataFrame:
    rows = []
    places = product(params.kinds, params.arms, params.gap, params.epsilon_over_gap)
    for kind, arms, gap, ratio in places:
        gaps, best = instance(kind, arms, gap)
        epsilon = ratio * gap
        horizon = int(params.beyond / (gap * min(gap, epsilon)))
        unit = np.log(arms) * (1 / epsilon + 1 / gap)
        private = optimal_rate.private_lower_bound(arms, gap, epsilon, horizon)
        lower = max(private, optimal_rate.sampling_lower_bound(arms, gap, horizon))
        labels = {"instance": kind, "arms": arms, "gap": gap}
        labels |= {"epsilon_over_gap": ratio, "horizon": horizon}
        for series in params.series:
            regret = regret_of(series, best - gaps, epsilon, horizon, params.seeds)
            upper = _proved(series.with_.get("variant"), gaps, epsilon)
            own = {"algorithm": series.id, "lower": lower / unit, "upper": upper / unit}
            rows.append({**labels, **own, **mean_with_band(regret / unit)})
    return pd.DataFrame(rows)


def _proved(variant: str | None, gaps: np.ndarray, epsilon: float) -> float:
    if variant not in optimal_rate.WEIGHT:
        return np.nan
    return optimal_rate.instance_bound(gaps, epsilon, variant)
