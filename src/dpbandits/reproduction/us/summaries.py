"""What US's tables say, for figures and claims: fitted exponents of the error rate, kernels."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.statistics import NORMAL_95, fit_power

LAST = 5  # points of a fit
KERNEL = {"se": "SE", "matern52": "Matérn 5/2", "matern32": "Matérn 3/2", "cosine": "cosine Mercer"}


def kernel_name(setting: str) -> str:
    kernel, *more = setting.split("-")
    dimension = ", d = 2" if "2d" in more else ", d = 1"
    return KERNEL[kernel] + dimension + (", Beta contexts" if "beta" in more else "")


def where(data: pd.DataFrame, **values) -> pd.DataFrame:
    """Rows with these values, in the order of t."""
    for column, value in values.items():
        data = data[data[column] == value]
    return data.sort_values("t") if "t" in data else data


def fitted_rates(data: pd.DataFrame) -> pd.DataFrame:
    """Slope of ln error on ln T over the last points, with a 95% interval, and those of the two
    printed terms."""
    lines = []
    gains, regrets = (data[data["metric"] == m] for m in ("information_gain", "regret"))
    usca, random = (regrets[regrets["algorithm"] == a] for a in ("usca", "random-action"))
    for (setting, epsilon), rows in usca.groupby(["setting", "epsilon"], sort=False):
        rows = rows.sort_values("t").tail(LAST)
        gain = where(gains, setting=setting, epsilon=epsilon, algorithm="usca")
        gain = gain.tail(LAST)["mean"].to_numpy() / rows["t"].to_numpy()
        by_chance = where(random, setting=setting)["mean"].iloc[-1]
        term1, term2 = fit_power(rows["t"], np.sqrt(gain))[0], fit_power(rows["t"], gain)[0]
        positive = rows["mean"] > 0
        slope, error = fit_power(
            rows["t"][positive], rows["mean"][positive], rows["sem"][positive].clip(lower=1e-12)
        )
        lines.append(
            {"setting": setting, "epsilon": epsilon, "slope": slope}
            | {"low": slope - NORMAL_95 * error, "high": slope + NORMAL_95 * error}
            | {"printed": term1, "printed_private": term2}
            | {"of_chance": rows["mean"].iloc[-1] / by_chance}
        )
    return pd.DataFrame(lines)
