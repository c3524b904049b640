"""FL's figures of why the published curves look as they do: few steps, selection noise reused."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import NORMAL_95
from dpbandits.reproduction.fl.figures.layout import ENDS, RELEASED, instance
from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import RED, look, panels

SIGNAL = "largest noise-free score over that of noise alone"
STEPS = Plot("n", "steps", curve="algorithm", log="x", x_label="rows N", y_label="N-IHT steps M")
LEAD = Plot("n", "lead", curve="algorithm", log="xy", x_label="rows N", y_label="signal / noise")


@figure(
    "fl/steps",
    reads=("constants",),
    title="Steps of N-IHT",
    paper_says="M = 1.6 ln N.",
    alt="Left the steps against the episode's length, right the signal over the noise of the first "
    "step, a line per preset.",
    plot=(STEPS, LEAD),
)
def steps(tables) -> Drawing:
    data = tables("constants")
    data = data.assign(algorithm="fliphat-" + data["preset"])
    rings = {"fliphat-corrected": look("fliphat-corrected") | {"mfc": "none", "ms": 8}}
    canvas, axes = panels(1, 2, height=3.4)
    for ax, plot in zip(axes[0], (STEPS, LEAD), strict=True):
        curves(data, plot, axes={"": ax}, looks=rings,
               names=lambda name: name.removeprefix("fliphat-"))  # fmt: skip
        ax.set(xlabel=plot.x_label, ylabel=plot.y_label)
    for line in axes[0, 0].lines:
        line.set_drawstyle("steps-post")
    axes[0, 1].axhline(1, color="#777777", ls=":", lw=1, label="signal as large as the noise")
    from_n = data[data["lead"] > 1].groupby("preset", sort=False)["n"].min()
    table = from_n.reindex(data["preset"].unique()).reset_index()
    table["n"] = [f"{n:,.0f}" if np.isfinite(n) else "never" for n in table["n"]]
    first = table.set_index("preset")["n"]
    epsilon, most = data["epsilon"].iloc[0], data.groupby("preset")["steps"].max()
    return Drawing(
        canvas, data,
        f"The released code takes up to {most['released']:.0f} steps where the text has "
        f"{most['printed']:.0f}; its signal exceeds the noise from N = {first['released']} rows, "
        f"that of the printed constants from {first['printed']}.",
        f"signal / noise: the {SIGNAL}, ln d times the scale of the selection noise; "
        f"{instance('d', 'sparsity', 'true_sparsity', 'delta')}, ε = {epsilon:g}",
        table.rename(columns={"n": "signal exceeds the noise from N ="}),
    )  # fmt: skip


REUSE = Plot("arms", "mean", **ENDS, curve="algorithm", panel="epsilon",
             x_label="number of arms K", y_label="regret with reused / fresh noise")  # fmt: skip


@figure(
    "fl/reuse",
    reads=("arms",),
    title="Selection noise reused or fresh",
    paper_says="Not mentioned.",
    alt="Ratio of regret with reused noise to that with fresh noise, against K, a panel per ε, "
    "with its mean over K.",
    plot=REUSE,
)
def reuse(tables) -> Drawing:
    data = tables("arms").set_index(["epsilon", "arms"])
    reused = data[data["algorithm"] == RELEASED]
    fresh = data[data["algorithm"] == "fliphat-fresh"]
    ratio = (reused["mean"] / fresh["mean"]).rename("mean").reset_index()
    relative = np.hypot(reused["sem"] / reused["mean"], fresh["sem"] / fresh["mean"])
    ratio["sem"] = ratio["mean"] * relative.to_numpy()
    half = NORMAL_95 * ratio["sem"]
    ratio["low"], ratio["high"] = ratio["mean"] - half, ratio["mean"] + half
    ratio["algorithm"] = RELEASED
    canvas, axes = curves(ratio, REUSE, columns=4, height=3, names={RELEASED: "released"})
    by = ratio.groupby("epsilon")
    mean, error = by["mean"].mean(), by["sem"].agg(np.hypot.reduce) / by.size()
    for epsilon, ax in axes.items():
        ax.axhline(1, color="black", lw=1, label="no difference")
        ax.axhline(mean[epsilon], color=RED, lw=1.6, ls=":", label="mean over K")
    texts = [f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True)]
    table = pd.DataFrame({"ε": mean.index, "mean ratio over K": texts})
    return Drawing(
        canvas, ratio,
        f"Reused noise raises the regret by {mean.min() - 1:.0%} to {mean.max() - 1:.0%}, on "
        "average over the numbers of arms.",
        "bands are 95% intervals of the ratio of means over runs; ±: one standard error", table,
    )  # fmt: skip
