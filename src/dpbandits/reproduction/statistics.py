"""Means, bands, ratios and slopes, and the level of tests: the statistics that all papers share.

All claims have one level: a verdict `rejected` or `consistent` rests on two-sided comparisons at
LEVEL in all, divided among the comparisons of a reading (`quantile`). `consistent` means: not
rejected at LEVEL.

A band is Student's t interval of the mean. Where the data are not negative and their standard error
exceeds a fifth of the mean, it is the t interval of ln(mean) (delta method) instead, which stays
positive and is longer on the side of the long tail.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

LEVEL = 1e-6
NORMAL_95 = 1.959963984540054  # two-sided normal quantile at 95%
WIDE = 0.2  # relative standard error above which a band is computed on the logarithm


def span(values, form: str = "") -> str:
    """The least and the largest, for a text: "0.85 to 1.1"."""
    return f"{np.nanmin(values):{form}} to {np.nanmax(values):{form}}"


def quantile(comparisons: int = 1) -> float:
    """The normal quantile, in standard errors, for each of a claim's comparisons."""
    return -NormalDist().inv_cdf(LEVEL / (2 * comparisons))


@dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}]"


def bands(mean, sem, runs, least) -> tuple[np.ndarray, np.ndarray]:
    """The 95% bands of means (see above); `least` is the smallest value behind each mean."""
    from scipy.special import stdtrit  # here, as it slows down the start of all commands

    mean, sem, runs, least = (np.asarray(x, float) for x in (mean, sem, runs, least))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        half = sem * np.where(runs > 1, stdtrit(runs - 1, 0.975), np.nan)
        skewed = (least >= 0) & (mean > 0) & (sem > WIDE * mean)
        factor = np.exp(half / mean)
        low = np.where(skewed, mean / factor, mean - half)
        high = np.where(skewed, mean * factor, mean + half)
    return low, high


def mean_with_band(values: np.ndarray) -> dict[str, float]:
    """Mean over runs with its standard error and 95% band: the columns of every table of means."""
    values = np.asarray(values, float)
    runs = len(values)
    mean, sem = values.mean(), values.std(ddof=1) / np.sqrt(runs)
    low, high = bands(mean, sem, runs, values.min())
    numbers = {"mean": mean, "sem": sem, "low": low, "high": high}
    return {"runs": runs} | {key: float(value) for key, value in numbers.items()}


def ratio(above, below, z: float = NORMAL_95) -> Interval:
    """The ratio of two independent means, given as rows of a table (delta method on ln)."""
    value = above["mean"] / below["mean"]
    spread = z * np.hypot(above["sem"] / above["mean"], below["sem"] / below["mean"])
    return Interval(value, value * np.exp(-spread), value * np.exp(spread))


def ratios_over(table, name: str, keys: list[str], z: float = NORMAL_95):
    """Mean of every other algorithm over that of `name` at the same keys, with its interval."""
    below = table[table["algorithm"] == name].set_index(keys)[["mean", "sem"]]
    above = table[table["algorithm"] != name].join(below.add_suffix(" below"), on=keys)
    own = {"mean": above.pop("mean below"), "sem": above.pop("sem below")}
    interval = ratio(above, own, z)
    above = above.assign(mean=interval.value, low=interval.low, high=interval.high)
    return above.reset_index(drop=True)


def crossing(run, level: float) -> tuple[float, float]:
    """ln of the round at which a falling mean is `level`, by a straight line between checkpoints,
    and its standard error: that of the mean over the slope there. NaN if it is not reached."""
    run = run.sort_values("t")
    mean, log_t = run["mean"].to_numpy(), np.log(run["t"].to_numpy())
    low = np.flatnonzero(mean <= level)
    if not len(low) or low[0] == 0:
        return np.nan, np.nan
    ends = slice(low[0] - 1, low[0] + 1)
    (x0, x1), (y0, y1) = log_t[ends], mean[ends]
    at = (y0 - level) / (y0 - y1)
    error = np.interp(at, [0, 1], run["sem"].to_numpy()[ends])
    return x0 + at * (x1 - x0), error * (x1 - x0) / (y0 - y1)


def fit_power(x: np.ndarray, y: np.ndarray, sem: np.ndarray | None = None) -> tuple[float, float]:
    """Slope of ln y on ln x and its standard error; weighted if standard errors of y are given."""
    y = np.asarray(y, float)
    error = None if sem is None else np.asarray(sem, float) / y
    slope, spread, _ = fit_line(np.log(np.asarray(x, float)), np.log(y), error)
    return slope, spread


def fit_line(x: np.ndarray, y: np.ndarray, sem=None) -> tuple[float, float, float]:
    """Least squares of y on 1 and x: slope, its standard error, mean square (weighted) residual.
    With standard errors of y, a fit that is worse than these widens the interval, and a better one
    does not narrow it."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    weights = np.ones_like(x) if sem is None else np.asarray(sem, float) ** -2.0
    centred = x - np.average(x, weights=weights)
    spread = np.sum(weights * centred**2)
    slope = np.sum(weights * centred * y) / spread
    residual = y - np.average(y, weights=weights) - slope * centred
    misfit = np.sum(weights * residual**2) / max(1, len(x) - 2)
    scale = misfit if sem is None else max(1.0, misfit)
    return float(slope), float(np.sqrt(scale / spread)), float(misfit)


def slope(x: np.ndarray, y: np.ndarray, sem: np.ndarray) -> tuple[float, float]:
    """Least-squares slope of y on x, as in the paper's legends, and its standard error."""
    weight = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    return float(np.sum(weight * y)), float(np.sqrt(np.sum((weight * sem) ** 2)))


def chi_square(z) -> tuple[float, int, float]:
    """The sum of squared residuals z (in standard errors), their number, and the p-value."""
    from scipy.stats import chi2

    total = float(np.sum(np.square(z)))
    return total, len(z), float(chi2.sf(total, len(z)))
