"""HU's figures of what privacy costs: regret over eps, and over AdaP's alpha."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpbandits.reproduction.hu.claims.figures import PUBLISHED, SIMILAR
from dpbandits.reproduction.hu.figures.regret import NEAREST, OWN
from dpbandits.reproduction.hu.summaries import FIRST, final
from dpbandits.reproduction.plots.curves import curves, label_ends, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, epsilon_name, look, panels
from dpbandits.reproduction.statistics import ratios_over
from dpbandits.stochastic.problem import AdapSetting

OURS = "lazy-dp-ts"
AUTHORS = AdapSetting.model_fields["alpha"].default
REGRET = Plot("epsilon", curve="algorithm", log="xy")
TIMES = replace(REGRET, y="times", low="times_low", high="times_high")  # of the least at that ε


@figure(
    "hu/regret_vs_epsilon",
    reads=("regret_vs_epsilon", "without_privacy"),
    title="What privacy costs",
    alt="Left regret at the horizon against ε, one line per algorithm, named at its end, dotted "
    "horizontal lines for algorithms without privacy; right the regret over the least of all "
    "private algorithms at the same ε.",
)
def regret_vs_epsilon(tables) -> Drawing:
    data, free = final(tables("regret_vs_epsilon")), final(tables("without_privacy"))
    finite = data[np.isfinite(data["epsilon"])]
    least = finite.groupby("epsilon")["mean"].transform("min")
    times = finite[["mean", "low", "high"]].div(least, axis=0)
    finite = finite.assign(**times.add_prefix("times_").rename(columns={"times_mean": "times"}))
    canvas, (axes,) = panels(1, 2, height=4.4)
    names = ("regret after a million rounds", "regret / the least regret at that ε")
    for ax, plot, name in zip(axes, (REGRET, TIMES), names, strict=True):
        curves(finite, plot, axes={"": ax}, names=OWN)
        ax.set(xlabel="ε", ylabel=name)
    ends = [finite["epsilon"].min(), finite["epsilon"].max()]
    for row, dash in zip(free.itertuples(), (":", "-.", "--"), strict=False):
        style = {"color": BLACK, "lw": 1.3, "ls": dash}
        name = f"{row.algorithm}, not private"
        axes[0].plot(ends, [row.mean] * 2, gid=row.algorithm, label=name, **style)
    for ax in axes:
        label_ends(ax)
    first = (finite.loc[finite["mean"] == least, "algorithm"] == "na-imed").sum()
    own = finite.loc[finite["algorithm"] == "na-imed", "times"]
    return Drawing(
        canvas, pd.concat([finite, free.assign(epsilon=np.nan)]),  # these have no ε
        "names at the lines' ends; left, black without markers: algorithms that are not private; "
        "the means of DP-IMED and DP-KLUCB rest on the few runs in which they do not find the best "
        f"arm; {FIRST}",
        legend=False,
        seen=f"NA-IMED has the least regret of the private algorithms at {first} of {len(own)} "
        f"values of ε, and never more than {own.max():.2f} times the least.",
    )  # fmt: skip


@figure(
    "hu/adap_alpha",
    reads=("adap_alpha", "fig1", "fig2"),
    claims=("HU-S6 (printed)",),
    title="AdaP's regret over its parameter α",
    alt="Regret after a million rounds over that of Lazy-DP-TS, against α, for AdaP-KLUCB and "
    "AdaP-UCB, a panel per setting and ε, with a line at 1, a band around it, and lines at "
    "α = 1.5 and at AdaP's own α = 3.1.",
)
def adap_alpha(tables) -> Drawing:
    """Which α would make the paper's "similar" come true?"""
    others = final(pd.concat([tables("fig1"), tables("fig2")]), algorithm=OURS)
    data = pd.concat([final(tables("adap_alpha")), others])
    data = ratios_over(data, OURS, ["setting", "epsilon"]).drop(columns="sem")
    at = [(r.setting, r.epsilon) for r in data.itertuples()]
    data["panel"] = [f"{PUBLISHED.get((g, e), 'ours')}: {g} gaps, {epsilon_name(e)}" for g, e in at]
    plot = Plot("alpha", curve="algorithm", panel="panel", log="xy", x_label="α",
                y_label=f"regret / {OURS}'s")  # fmt: skip
    canvas, axes = curves(data, plot, columns=3, height=2.3)
    for ax in axes.values():
        style = look(OURS) | {"marker": None, "lw": 1}
        ax.axhline(1, label=f"{OURS} (has no α)", gid=OURS, **style)
        ax.axvline(AUTHORS, color="grey", lw=0.8, label=f"α = {AUTHORS:g}, of AdaP's authors")
        nearest = float(NEAREST.removeprefix("adap-klucb-"))
        ax.axvline(nearest, color="grey", ls="--", label=f"α = {nearest:g}, as in hu/fig1")
        ax.axhspan(1 / SIMILAR, SIMILAR, color="0.9", lw=0, zorder=0,
                   label=f"within a factor of {SIMILAR:g}")  # fmt: skip
        ticks_at(ax, (0.25, 0.5, 1, 1.5, 3, 6))
        ticks_at(ax, (0.2, 0.5, 1, 2, 5), "y")
    note = f"bands are 95% intervals of the ratio of means over runs; {FIRST}"
    return Drawing(canvas, data, note)
