"""Regret over K, the gap, eps and T, one at a time: equal gaps, best action first or last."""

import pandas as pd

from dpbandits.core.models import Model, Several
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.series import regret_of
from dpbandits.reproduction.series import AllSeries, Positives, algorithms_of
from dpbandits.reproduction.statistics import mean_with_band
from dpbandits.reproduction.studies import study


class Varied(Model):
    """Which values each quantity takes, in the order of the rows."""

    arms: tuple[Several, ...] = ()
    gap: Positives = ()
    epsilon: Positives = ()
    horizon: tuple[Several, ...] = ()


class FullInformation(Model):
    """One quantity varies at a time, the others stay at the base values."""

    series: AllSeries
    vary: Varied
    base: dict[str, float]
    seeds: Several


@study("hu/full_information", params=FullInformation, runs=algorithms_of)
def full_information(params: FullInformation) -> pd.DataFrame:
    """One action with mean 0.5 + gap (first or last), the others 0.5."""
    rows = []
    for vary, values in params.vary:
        for value in values:
            point = {**params.base, vary: value}
            arms, horizon = int(point["arms"]), int(point["horizon"])
            for series in params.series:
                for best, means in theory.packing_means(arms, point["gap"]).items():
                    regret = regret_of(series, means, point["epsilon"], horizon, params.seeds)
                    labels = {"vary": vary, "value": value, "algorithm": series.id, "best": best}
                    labels |= {"arms": arms, "horizon": horizon}
                    labels |= {key: point[key] for key in ("gap", "epsilon")}
                    rows.append({**labels, **mean_with_band(regret)})
    return pd.DataFrame(rows)
