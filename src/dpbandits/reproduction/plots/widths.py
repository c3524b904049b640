"""With how much of the optimism of its theorem a relative of LinUCB does best: FL's and US's rivals
at their best. Their theorems leave nothing open, but are cautious; of the regret with less than
their width nothing is proved."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot
from dpbandits.reproduction.statistics import NORMAL_95

PLACES = ("setting", "function_seed", "epsilon")  # which are compared width by width


def over_the_theorem(data: pd.DataFrame) -> pd.DataFrame:
    """By setting, epsilon and width: `times` the mean is that with the width of the theorem, in the
    geometric mean over functions, and its 95% interval as if runs were independent."""
    keys = [key for key in PLACES if key in data]
    at = data.set_index(keys)
    theirs = at[at["width"] == 1].loc[at.index]
    other = (at["width"] != 1).to_numpy()
    at = at.assign(
        log=np.log(at["mean"] / theirs["mean"]),
        error=other * np.hypot(at["sem"] / at["mean"], theirs["sem"] / theirs["mean"]) ** 2,
    )
    groups = at.groupby(["setting", "epsilon", "width"], sort=False)
    log, error = groups["log"].mean(), np.sqrt(groups["error"].mean() / groups.size())
    ends = {"times": log, "low": log - NORMAL_95 * error, "high": log + NORMAL_95 * error}
    return pd.DataFrame({name: np.exp(end) for name, end in ends.items()}).reset_index()


def best_width(data: pd.DataFrame) -> float:
    """That of the theorem, unless another has less beyond doubt: then that of the least geometric
    mean over all settings and epsilon."""
    log = np.log(data["times"])
    error = (np.log(data["high"]) - log) ** 2
    mean, half = log.groupby(data["width"]).mean(), error.groupby(data["width"]).mean()
    half = np.sqrt(half / (data["width"] == 1).sum())
    least = mean.idxmin()
    return least if mean[least] + half[least] < 0 else 1.0


def drawn_widths(data: pd.DataFrame, what: str, titles, width="full") -> Drawing:
    """A panel per setting, a curve per epsilon."""
    data = over_the_theorem(data)
    positive = data.loc[data["width"] > 0, "width"].min()
    data = data.assign(place=data["width"].where(data["width"] > 0, positive / 3))
    labels = {"x_label": "share of the theorem's width", "y_label": f"{what} / the theorem's"}
    plot = Plot("place", "times", curve="epsilon", panel="setting", log="xy", **labels)
    canvas, axes = curves(data, plot, height=3.2, width=width, titles=titles)
    for ax in axes.values():
        ticks_at(ax, (0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 3), "y")
        ticks_at(ax, data["place"].unique(), text=lambda x: f"{x if x >= positive else 0:g}")
    best = best_width(data)
    own = data.loc[data["width"] == best, "times"]
    note = (
        "1: the width of its theorem; with less nothing is proved of its regret, its privacy is "
        "the same; bands are 95% intervals; these instances are used for nothing else"
    )
    seen = (
        f"Over all it does best with {best:g} of the width: {own.min():.2f} to {own.max():.2f} "
        f"times the {what} of the theorem's."
        if best < 1
        else "No other width is better beyond doubt over all."
    )
    return Drawing(canvas, data.drop(columns="place"), note, seen=seen)
