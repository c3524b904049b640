"""What the tables say: ratios, thresholds and fits with their intervals; for figures and claims."""

import pandas as pd

from dpbandits.reproduction.statistics import quantile

Z_CLAIM = quantile(100)  # in standard errors; no verdict by samples makes a hundred comparisons
PRIVATE = ("rnm-ftnl-corrected", "ftnl")  # eps-private learners, for Theorem 12


def final(table: pd.DataFrame, algorithm: str = "") -> pd.DataFrame:
    """Regret at the last checkpoint, of one algorithm or of all."""
    rows = table[table["metric"] == "regret"]
    rows = rows[rows["algorithm"] == algorithm] if algorithm else rows
    return rows[rows["t"] == rows["t"].max()]


# Random instances (hu/which) ---------------------------------------------------------------------

SAME = 1.05  # a ratio of means whose interval is within this factor of 1 is called level
LITTLE = 0.9  # of random play's mean: where no private learner has less, nothing is said of a size


def standing(size: pd.DataFrame, name: str = "na-imed") -> tuple[str, str]:
    """How it stands, at one size of hu/which, to the other private learner with the least mean,
    and who that is."""
    rows = size.set_index("algorithm")
    others = rows.drop(index=[name, "thompson", "random-arm"])
    rival = others["mean"].idxmin()
    least = min(rows.loc[name, "mean"], rows.loc[rival, "mean"])
    low, high = others.loc[rival, ["ratio_low", "ratio_high"]]
    if least > LITTLE * rows.loc["random-arm", "mean"]:
        return "little learned", rival
    if low > 1 / SAME and high < SAME:
        return "level", rival
    if low > 1:
        return "lower", rival
    return ("higher" if high < 1 else "open"), rival


FIRST = "the best arm is the first one"  # which lowers AdaP-KLUCB's regret, alone and early
