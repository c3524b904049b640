"""HU's figures of what privacy costs: regret over eps, and over AdaP's alpha."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.hu.summaries import (
    FIRST,
    PRIVACY_COSTS,
    final,
    privacy_starts_to_cost,
    ratios_over,
)
from dpbandits.reproduction.plots.curves import curves, label_ends, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import epsilon_name, look, panels
from dpbandits.stochastic.problem import AdapSetting

OURS = "lazy-dp-ts"
AUTHORS = AdapSetting.model_fields["alpha"].default
ENDS = {"low": "low", "high": "high", "curve": "algorithm"}
OVER_EPSILON = Plot(
    "epsilon", "mean", **ENDS, log="xy", x_label="ε", y_label="regret after a million rounds"
)
OVER_FREE = Plot(
    "epsilon", "times", "times_low", "times_high", curve="algorithm", log="xy", x_label="ε",
    y_label="regret / the same algorithm's at ε = ∞",
)  # fmt: skip
OVER_ALPHA = Plot(
    "alpha", "mean", **ENDS, panel="panel", log="xy", x_label="α", y_label=f"regret / {OURS}'s"
)


@figure(
    "hu/regret_vs_epsilon",
    reads=("regret_vs_epsilon", "without_privacy"),
    title="What privacy costs",
    alt="Left regret at the horizon against ε, one line per algorithm, named at its end, dotted "
    "horizontal lines for algorithms without privacy; right the regret over that of the same "
    "algorithm at ε = ∞, with a line at 1.5.",
)
def regret_vs_epsilon(tables) -> Drawing:
    data, free = final(tables("regret_vs_epsilon")), final(tables("without_privacy"))
    own = data[np.isinf(data["epsilon"])].set_index("algorithm")["mean"]
    times = data[["mean", "low", "high"]].div(data["algorithm"].map(own), axis=0)
    data[["times", "times_low", "times_high"]] = times
    finite = data[np.isfinite(data["epsilon"])]
    canvas, (axes,) = panels(1, 2, height=4.4)
    for ax, plot in zip(axes, (OVER_EPSILON, OVER_FREE), strict=True):
        curves(finite, plot, axes={"": ax})
        ax.set(xlabel=plot.x_label, ylabel=plot.y_label)
    ends = [finite["epsilon"].min(), finite["epsilon"].max()]
    for row, dash in zip(free.itertuples(), (":", "-.", (0, (1, 3))), strict=False):
        style = {"color": look(row.algorithm)["color"], "lw": 1, "ls": dash}
        name = f"{row.algorithm}, not private"
        axes[0].plot(ends, [row.mean] * 2, gid=row.algorithm, label=name, **style)
    label_ends(axes[0])
    axes[1].axhline(PRIVACY_COSTS, color="black", lw=1, ls="--")
    axes[1].annotate(f"{PRIVACY_COSTS:g} times", (1, PRIVACY_COSTS), xytext=(4, 0), va="center",
                     xycoords=("axes fraction", "data"), textcoords="offset points")  # fmt: skip
    starts = {name: privacy_starts_to_cost(data, name) for name in own.index}
    costs = sorted(starts, key=lambda name: starts[name].value)
    first, last = costs[0], costs[-1]
    for name, away, side in ((first, (-10, -28), "right"), (last, (14, 28), "left")):
        at, color = (starts[name].value, PRIVACY_COSTS), look(name)["color"]
        axes[1].plot(*at, "o", mfc="none", ms=9, color=color)
        axes[1].annotate(
            f"{name}: ε = {at[0]:.2g}",
            at,
            xytext=away,
            textcoords="offset points",
            ha=side,
            color=color,
            arrowprops={"arrowstyle": "-", "color": color},
        )
    return Drawing(
        canvas, pd.concat([data, free]),
        "left: names at the lines' ends, dotted: algorithms that are not private; right: dashed, "
        f"where privacy costs {PRIVACY_COSTS:g} times the regret, and rings where the first and "
        "the last curve meet it; the means of DP-IMED and "
        f"DP-KLUCB rest on the few runs in which they do not find the best arm; {FIRST}",
        legend=False,
    )  # fmt: skip


@figure(
    "hu/adap_alpha",
    reads=("adap_alpha", "fig1", "fig2"),
    claims=("HU-S6 (printed)",),
    title="AdaP's regret over its parameter α",
    alt="Regret after a million rounds over that of Lazy-DP-TS, against α, for AdaP-KLUCB and "
    "AdaP-UCB, a panel per setting and ε, with a line at 1 and one at AdaP's own α = 3.1.",
)
def adap_alpha(tables) -> Drawing:
    others = final(pd.concat([tables("fig1"), tables("fig2")]), algorithm=OURS)
    data = pd.concat([final(tables("adap_alpha")), others])
    data = ratios_over(data, OURS, ["setting", "epsilon"]).drop(columns="sem")
    data["panel"] = [f"{r.setting} gaps, {epsilon_name(r.epsilon)}" for r in data.itertuples()]
    canvas, axes = curves(data, OVER_ALPHA, columns=3, height=2.3)
    for ax in axes.values():
        style = look(OURS) | {"marker": None, "lw": 1}
        ax.axhline(1, label=f"{OURS} (has no α)", gid=OURS, **style)
        ax.axvline(AUTHORS, color="grey", lw=0.8, label=f"α = {AUTHORS:g}, of AdaP's authors")
        ticks_at(ax, (0.25, 0.5, 1, 2, 3, 6))
        ticks_at(ax, (0.2, 0.5, 1, 2, 5), "y")
    note = f"bands are 95% intervals of the ratio of means over runs; {FIRST}"
    return Drawing(canvas, data, note)
