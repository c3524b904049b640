"""What FL's tables say: slopes and distances to the published values; for figures and claims."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.fl.published import published
from dpbandits.reproduction.statistics import fit_power, slope


def jdp_linucb(tables) -> pd.DataFrame:
    """The table `linucb`; in place of some rows those of `linucb_low`, which have more runs."""
    both = pd.concat([tables("linucb"), tables("linucb_low")])
    more = ~both.duplicated(["algorithm", "d", "t"], keep="last")
    return both[more].sort_values("d", kind="stable", ignore_index=True)


def in_logarithms(table: pd.DataFrame) -> pd.DataFrame:
    data = table.assign(ln_s=np.log(table["sparsity"]))
    data["sem"] = data["sem"] / data["mean"]
    for column in ("low", "mean", "high"):
        data[column] = np.log(data[column].where(data[column] > 0))  # an interval may begin below 0
    return data


def slope_in(line: pd.DataFrame, x: str) -> tuple[float, float]:
    """Slope of the mean on a column, and its standard error."""
    return slope(*(line[column].to_numpy() for column in (x, "mean", "sem")))


def log_slopes(data: pd.DataFrame) -> pd.DataFrame:
    """Slope of ln R on ln s over s >= s* for each series and epsilon."""
    rows = []
    above = data[data["sparsity"] >= data["true_sparsity"]]
    for (series, epsilon), line in above.groupby(["algorithm", "epsilon"], sort=False):
        rows.append((series, float(epsilon), *slope_in(line, "ln_s")))
    return pd.DataFrame(rows, columns=["algorithm", "epsilon", "slope", "sem"])


def second_half(regret: pd.DataFrame, series: str) -> pd.Series:
    """Regret of the second half of the rounds over that of the first, by epsilon."""
    rows, end = regret[regret["algorithm"] == series], regret["t"].max()
    half, full = (rows[rows["t"] == t].set_index("epsilon")["mean"] for t in (end // 2, end))
    return (full / half - 1).sort_index()


def against_published(slopes: pd.DataFrame, runs: int) -> pd.DataFrame:
    """Slopes beside the published ones (50 runs, two decimals); z: difference in errors."""
    both = slopes.merge(published("fig3_left"), on="epsilon", suffixes=("", "_published"))
    error = np.sqrt(both["sem"] ** 2 * (1 + runs / 50) + 0.01**2 / 12)
    return both.assign(error=error, z=(both["slope"] - both["slope_published"]) / error)


def residuals(rows: pd.DataFrame) -> pd.DataFrame:
    """Simulated means beside the published ones of Figure 3 right; z: difference in errors."""
    rows = rows.astype({"epsilon": float}).sort_values("epsilon", kind="stable")
    both = rows.merge(published("fig3_right"), on=["epsilon", "arms"], suffixes=("", "_published"))
    error = np.hypot(both["sem_published"], both["sem"])
    return both.assign(error=error, z=(both["mean_published"] - both["mean"]) / error)


def late_growth(table: pd.DataFrame, series: str, epsilon: float = np.inf) -> tuple[float, float]:
    """Power of regret in T over the last four checkpoints, and its standard error."""
    rows = table[(table["algorithm"] == series) & (table["epsilon"] == epsilon)].tail(4)
    return fit_power(rows["t"], rows["mean"])


def powers(table, term: str) -> dict[str, tuple[float, float]]:
    """Fitted power of the squared error in each factor of the study, with its standard error."""
    return {
        varied: fit_power(rows["value"], rows["mean"], rows["sem"])
        for varied, rows in table[table["term"] == term].groupby("varied", sort=False)
    }


def listed(fits: dict[str, tuple[float, float]]) -> str:
    """Fitted powers with their standard errors."""
    return ", ".join(
        f"{name}: {round(p, 2) + 0:.2f} ± {sem:.2f}" for name, (p, sem) in fits.items()
    )


def power_of_ln_d(table: pd.DataFrame) -> tuple[pd.DataFrame, tuple[float, float]]:
    """Regret at the last round and the largest epsilon of fl/large_d, and its power of ln d."""
    last = table[(table["t"] == table["t"].max()) & (table["epsilon"] == table["epsilon"].max())]
    return last, fit_power(np.log(last["d"]), last["mean"], last["sem"])
