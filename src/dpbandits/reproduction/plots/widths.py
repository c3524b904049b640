"""With how much of the optimism of its theorem a relative of LinUCB does best: FL's and US's rivals
at their best. Their theorems leave nothing open, but are cautious; of the regret with less than
their width nothing is proved."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot
from dpbandits.reproduction.plots.style import BLACK
from dpbandits.reproduction.statistics import NORMAL_95, span

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


def drawn_widths(data: pd.DataFrame, what: str, titles, width="full", note="") -> Drawing:
    """A panel per setting and a curve per epsilon; of one setting a panel per epsilon."""
    data = over_the_theorem(data)
    positive = data.loc[data["width"] > 0, "width"].min()
    data = data.assign(place=data["width"].where(data["width"] > 0, positive / 3))
    one = data["setting"].nunique() == 1
    labels = {"y_label": f"{what} / the theorem's"}
    labels["x_label"] = "share of width" if one else "share of the theorem's width"
    split = {"panel": "epsilon"} if one else {"panel": "setting", "curve": "epsilon"}
    plot = Plot("place", "times", log="xy", **split, **labels)
    canvas, axes = curves(data, plot, height=3.2, width=width, titles=None if one else titles)
    low, high = next(iter(axes.values())).get_ylim()
    for ax in axes.values():
        ax.axhline(1, color=BLACK, lw=0.9, ls=":")
        ticks_at(ax, [y for y in (0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 3) if low < y < high], "y")
        ticks_at(ax, data["place"].unique(), text=lambda x: f"{x if x >= positive else 0:g}")
    best = best_width(data)
    own = data.loc[data["width"] == best, "times"]
    note = "; ".join([note] * bool(note) + [
        "1: the width of its theorem; with less nothing is proved of its regret, its privacy is "
        "the same; bands are 95% intervals; these instances are used for nothing else"
    ])  # fmt: skip
    seen = (
        f"Over all panels it does best with {best:g} of the width: {span(own, '.2f')} times the "
        f"{what} of the theorem's."
        if best < 1
        else "Over all panels no other width is better beyond doubt."
    )
    return Drawing(canvas, data.drop(columns="place"), note, seen=seen)
