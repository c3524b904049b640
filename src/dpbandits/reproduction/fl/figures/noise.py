"""FL's figures of why the published curves look as they do: few steps, selection noise reused."""

import numpy as np

from dpbandits.core.statistics import NORMAL_95
from dpbandits.reproduction.fl.figures.layout import ENDS, RELEASED, instance, privacy_label
from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import panels

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
    canvas, axes = panels(1, 2, height=3.4)
    for ax, plot in zip(axes[0], (STEPS, LEAD), strict=True):
        curves(data, plot, axes={"": ax}, names=lambda name: name.removeprefix("fliphat-"))
        ax.set(xlabel=plot.x_label, ylabel=plot.y_label)
    for line in axes[0, 0].lines:
        line.set_drawstyle("steps-post")
    axes[0, 1].axhline(1, color="#777777", ls=":", lw=1, label="signal as large as the noise")
    from_n = data[data["lead"] > 1].groupby("preset", sort=False)["n"].min()
    table = from_n.reindex(data["preset"].unique()).reset_index()
    table["n"] = [f"{n:,.0f}" if np.isfinite(n) else "never" for n in table["n"]]
    first = table.set_index("preset")["n"]
    epsilon = data["epsilon"].iloc[0]
    return Drawing(
        canvas, data,
        f"At ε = {epsilon:g} the signal exceeds the noise from N = {first['released']} rows with "
        f"the released constants, and from {first['printed']} with the printed ones.",
        f"signal / noise: the {SIGNAL}, ln d times the scale of the selection noise; the published "
        "curves need about a tenth of the printed number of steps; "
        f"{instance('d', 'sparsity', 'true_sparsity', 'delta')}, ε = {epsilon:g}",
        table.rename(columns={"n": "signal exceeds the noise from N ="}),
    )  # fmt: skip


REUSE = Plot("arms", "mean", **ENDS, curve="epsilon", x_label="number of arms K",
             y_label="regret with reused / with fresh noise")  # fmt: skip


@figure(
    "fl/reuse",
    reads=("arms",),
    title="Selection noise reused or fresh",
    paper_says="Not mentioned.",
    alt="Ratio of regret with reused noise to that with fresh noise, against K, per ε.",
    width="half",
    plot=REUSE,
)
def reuse(tables) -> Drawing:
    data = tables("arms").set_index(["epsilon", "arms"])
    reused = data[data["algorithm"] == RELEASED]
    fresh = data[data["algorithm"] == "fliphat-fresh"]
    ratio = (reused["mean"] / fresh["mean"]).rename("mean").reset_index()
    relative = np.hypot(reused["sem"] / reused["mean"], fresh["sem"] / fresh["mean"])
    half = NORMAL_95 * ratio["mean"] * relative.to_numpy()
    ratio["low"], ratio["high"] = ratio["mean"] - half, ratio["mean"] + half
    canvas, axes = curves(ratio, REUSE, width="half", height=3.8, series=RELEASED)
    axes[""].axhline(1, color="#777777", ls=":", lw=1, label="no difference")
    axes[""].set_title(f"released constants ({privacy_label(RELEASED)})")
    last = ratio[ratio["arms"] == ratio["arms"].max()]
    return Drawing(
        canvas, ratio,
        f"With {ratio['arms'].max()} arms reused noise has {last['mean'].min():.2f} to "
        f"{last['mean'].max():.2f} times the regret of fresh noise.",
        "bands are 95% intervals of the ratio of means over runs",
        last[["epsilon", "mean"]].rename(columns={"epsilon": "ε", "mean": "ratio"}),
    )  # fmt: skip
