"""What the tables say: ratios, thresholds and fits with their intervals; for figures and claims."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpbandits.core.statistics import NORMAL_95, Interval, fit_line, fit_power, quantile, ratio

Z95, Z_CLAIM = NORMAL_95, quantile()


def final(table: pd.DataFrame, **labels) -> pd.DataFrame:
    """Regret rows with these labels at the last checkpoint."""
    chosen = table[table["metric"] == "regret"]
    for column, value in labels.items():
        chosen = chosen[chosen[column] == value]
    return chosen[chosen["t"] == chosen["t"].max()]


def beside(ours: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Rows of `table` whose (setting, epsilon) is in the index of `ours`."""
    return table[pd.MultiIndex.from_frame(table[["setting", "epsilon"]]).isin(ours.index)]


def ratio_of(table: pd.DataFrame, one: str, other: str, z: float = Z95, **labels) -> Interval:
    """Regret of `one` over regret of `other` at the horizon."""
    rows = final(table, **labels).set_index("algorithm")
    return ratio(rows.loc[one], rows.loc[other], z)


def ratios_over(table: pd.DataFrame, name: str, keys: list[str]) -> pd.DataFrame:
    """Mean of every other algorithm over that of `name` at the same keys, with its 95% interval."""
    of = table[table["algorithm"] == name].set_index(keys)
    rows = []
    for row in table[table["algorithm"] != name].to_dict("records"):
        found = ratio(row, of.loc[tuple(row[key] for key in keys)])
        rows.append(row | {"mean": found.value, "low": found.low, "high": found.high})
    return pd.DataFrame(rows)


def crossing(x: np.ndarray, y: np.ndarray, level: float) -> float:
    """The largest x at which y, interpolated in logarithms, is still at least `level`.

    inf if the last y is, 0 if none is: then the place lies beyond the ends of the scan.
    """
    order = np.argsort(x)
    log_x, excess = np.log(x[order]), np.log(np.maximum(y[order], 1e-12)) - np.log(level)
    above = np.flatnonzero(excess >= 0)
    if len(above) == 0:
        return 0.0
    i = above[-1]
    if i == len(x) - 1:
        return np.inf
    share = excess[i] / (excess[i] - excess[i + 1])
    return float(np.exp(log_x[i] + share * (log_x[i + 1] - log_x[i])))


PRIVACY_COSTS = 1.5  # "privacy costs" where regret is at least this times that without privacy
FIRST = "the best arm is the first one"  # AdaP-KLUCB alone, and early, gains by that


def privacy_starts_to_cost(table: pd.DataFrame, algorithm: str) -> Interval:
    """The largest eps at which regret is 1.5 times the algorithm's own at eps = inf.

    The interval comes from the 95% band: lower edges over the upper level, and the reverse.
    """
    rows = final(table, algorithm=algorithm)
    free = rows[np.isinf(rows["epsilon"])].iloc[0]
    rows = rows[np.isfinite(rows["epsilon"])]
    x = rows["epsilon"].to_numpy()
    edges = [("mean", "mean"), ("low", "high"), ("high", "low")]
    found = [crossing(x, rows[a].to_numpy(), PRIVACY_COSTS * free[b]) for a, b in edges]
    return Interval(*found)


@dataclass(frozen=True)
class GrowthInK:
    """How eps x regret grows with K: exponent of a power of K, and how a line in ln K or K fits."""

    exponent: Interval
    log_misfit: float  # weighted mean square residual of a + b ln K
    line_misfit: float  # of a + b K
    slope: Interval  # b of a + b ln K


FITTED_FROM = 5  # arms: below, a power of K and ln K are hardly told apart


def growth_in_k(rows: pd.DataFrame, smallest: int = FITTED_FROM, z: float = Z95) -> GrowthInK:
    """Weighted fits over K >= smallest; a poor fit widens the intervals (scaled by its misfit)."""
    rows = rows[rows["arms"] >= smallest]
    k, y, sem = (rows[c].to_numpy(float) for c in ("arms", "mean", "sem"))
    power, error = fit_power(k, y, sem)
    log_fit, line_fit = fit_line(np.log(k), y, sem), fit_line(k, y, sem)
    slope, spread = log_fit[0], z * log_fit[1]
    return GrowthInK(
        Interval(power, power - z * error, power + z * error),
        log_fit[2],
        line_fit[2],
        Interval(slope, slope - spread, slope + spread),
    )
