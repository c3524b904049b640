"""FL's figures of why the published curves look as they do: few steps, selection noise reused."""

import numpy as np

from dpbandits.core.statistics import NORMAL_95
from dpbandits.reproduction.fl.figures.layout import (
    at_epsilons,
    epsilon_bands,
    instance,
    privacy_label,
)
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import look, panels


@figure(
    "fl/steps",
    reads=("constants",),
    title="Steps of N-IHT",
    paper_says="M = 1.6 ln N. The published curves need about a tenth of it.",
    alt="Steps against episode length, and signal-to-noise ratio, per preset.",
)
def steps(tables) -> Drawing:
    data = tables("constants")
    canvas, axes = panels(1, 2, sharex=True, x="rows N")
    starts = []
    for preset, rows in data.groupby("preset", sort=False):
        series = f"fliphat-{preset}"
        style = look(series) | {"markersize": 3, "gid": series}
        label = f"{preset} ({privacy_label(series)})"
        axes[0, 0].plot(rows["n"], rows["steps"], label=label, drawstyle="steps-post", **style)
        axes[0, 1].plot(rows["n"], rows["lead"], label=label, **style)
        learns = rows.loc[rows["lead"] > 1, "n"]
        starts.append(f"{learns.iloc[0]:,.0f} ({preset})" if len(learns) else f"never ({preset})")
    axes[0, 0].set(xscale="log", ylabel="N-IHT steps M")
    axes[0, 1].set(yscale="log", ylabel="signal-to-noise ratio")
    axes[0, 1].axhline(1, color="#999999", ls=":", lw=1, label="noise as large as the signal")
    epsilon = data["epsilon"].iloc[0]
    return Drawing(
        canvas,
        data,
        f"Rows N from which the signal exceeds the noise at ε = {epsilon:g}: {', '.join(starts)}.",
        "signal-to-noise ratio: the largest noise-free score over ln d times the selection "
        f"noise's scale; {instance('d', 'sparsity', 'true_sparsity', 'delta')}, ε = {epsilon:g}",
        finding=f"the signal exceeds the noise from N = {', '.join(starts)}",
    )


@figure(
    "fl/reuse",
    reads=("arms",),
    title="Selection noise reused or fresh",
    paper_says="Not mentioned.",
    alt="Ratio of regret with reused noise to that with fresh noise, against K, per ε.",
)
def reuse(tables) -> Drawing:
    data = tables("arms").set_index(["epsilon", "arms"])
    reused = data[data["algorithm"] == "fliphat-released"]
    fresh = data[data["algorithm"] == "fliphat-fresh"]
    ratio = (reused["mean"] / fresh["mean"]).rename("mean").reset_index()
    relative = np.hypot(reused["sem"] / reused["mean"], fresh["sem"] / fresh["mean"])
    half = NORMAL_95 * ratio["mean"] * relative.to_numpy()
    ratio["low"], ratio["high"] = ratio["mean"] - half, ratio["mean"] + half
    canvas, axes = panels(1, 1, width=4.6)
    epsilon_bands(axes[0, 0], ratio, "arms", "fliphat-released", "released")
    axes[0, 0].axhline(1, color="#999999", ls=":", lw=1, label="no difference")
    axes[0, 0].set(xlabel="number of arms K", ylabel="regret, reused / fresh noise")
    last = ratio[ratio["arms"] == ratio["arms"].max()]
    arms, each = ratio["arms"].max(), at_epsilons(last.set_index("epsilon")["mean"])
    times = f"{last['mean'].min():.2f} to {last['mean'].max():.2f} times"
    return Drawing(
        canvas,
        ratio,
        f"Regret with reused over regret with fresh noise, K = {arms}: {each}.",
        "bands: 95% intervals of the ratio of means over runs",
        finding=f"reused, {times} the regret of fresh noise at K = {arms}",
    )
