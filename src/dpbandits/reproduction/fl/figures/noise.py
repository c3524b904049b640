"""FL's figure of selection noise that is reused, as in the released code."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.fl.figures.layout import RELEASED
from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import RED
from dpbandits.reproduction.statistics import NORMAL_95


@figure(
    "fl/reuse",
    reads=("arms",),
    title="Selection noise reused or fresh",
    alt="Ratio of regret with reused noise to that with fresh noise, against K, a panel per ε, "
    "with its mean over K.",
)
def reuse(tables) -> Drawing:
    data = tables("arms").set_index(["epsilon", "arms"])
    reused = data[data["algorithm"] == RELEASED]
    fresh = data[data["algorithm"] == "fliphat-fresh"]
    mean = reused["mean"] / fresh["mean"]
    sem = mean * np.hypot(reused["sem"] / reused["mean"], fresh["sem"] / fresh["mean"])
    ends = {"low": mean - NORMAL_95 * sem, "high": mean + NORMAL_95 * sem}
    ratio = pd.DataFrame({"mean": mean, "sem": sem, **ends}).reset_index()
    ratio["algorithm"] = RELEASED
    plot = Plot("arms", curve="algorithm", panel="epsilon", x_label="number of arms K",
                y_label="regret with reused / fresh noise")  # fmt: skip
    canvas, axes = curves(ratio, plot, columns=4, height=3, names={RELEASED: "released"})
    mean = ratio.groupby("epsilon")["mean"].mean()
    for epsilon, ax in axes.items():
        ax.axhline(1, color="black", lw=1, label="no difference")
        ax.axhline(mean[epsilon], color=RED, lw=1.6, ls=":", label="mean over K")
    listed = ", ".join(f"{m - 1:.1%} at ε = {epsilon:g}" for epsilon, m in mean.items())
    return Drawing(
        canvas, ratio,
        "selection noise is what Peeling adds before it picks a coordinate; the printed algorithm "
        "draws it anew each time, the released code takes it from one sequence of vectors, so that "
        "consecutive estimates share all but one; bands are 95% intervals of the ratio of means "
        "over runs",
        seen=f"In the mean over K reused noise costs this much more regret: {listed}.",
    )  # fmt: skip
