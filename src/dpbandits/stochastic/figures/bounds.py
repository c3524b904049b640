"""HU's figures of bounds: Theorems 3 and 5 beside the curves, and AdaP-UCB beside Lazy-UCB."""

import numpy as np
import pandas as pd

from dpbandits.core.figures import Drawing, figure
from dpbandits.plots.style import OKABE_ITO, band, look, panels
from dpbandits.stochastic.readings import FIRST, final, ratio

RATIOS = OKABE_ITO[8:11]


@figure(
    "hu/bounds",
    reads=("fig1_long", "fig2_long", "bounds"),
    title="Measured regret beside the bounds of Theorems 3 and 5 with the proofs' constants",
    paper_says="Both algorithms have regret O(sum of ln T/min(gap, eps)) (Theorems 3 and 5).",
    alt="Regret and its bound against rounds on two logarithmic axes, one panel per setting and "
    "epsilon: the bounds are one to two orders of magnitude above the curves.",
)
def bounds(tables) -> Drawing:
    measured = pd.concat([tables("fig1_long"), tables("fig2_long")])
    names = ["anytime-lazy-ucb", "lazy-dp-ts"]
    measured = measured[measured["algorithm"].isin(names) & (measured["t"] >= 10)]
    proved = tables("bounds")
    keys = ["setting", "epsilon"]
    settings, epsilons = (list(measured[k].unique()) for k in keys)
    looks = {"sharex": True, "sharey": True, "height": 2.1, "x": "rounds t", "y": "regret"}
    figure, axes = panels(len(settings), len(epsilons), **looks)
    for (setting, epsilon), rows in measured.groupby(keys, sort=False):
        ax = axes[settings.index(setting), epsilons.index(epsilon)]
        here = proved[(proved["setting"] == setting) & (proved["epsilon"] == epsilon)]
        for name in names:
            band(ax, rows[rows["algorithm"] == name], "t", name)
            line = here[here["algorithm"] == name]
            style = {"color": look(name)["color"], "linestyle": ":", "gid": name}
            ax.plot(line["t"], line["bound"], label=f"bound of {name}", **style)
        ax.set(title=f"{setting} gaps, ε = {epsilon:g}", xscale="log", yscale="log")
    drawn = pd.concat([measured, proved.rename(columns={"bound": "mean"}).assign(metric="bound")])
    return Drawing(figure, drawn, _slack_reading(measured, proved), "best arm first")


def _slack_reading(measured: pd.DataFrame, proved: pd.DataFrame) -> str:
    last = final(measured).merge(
        proved[proved["t"] == proved["t"].max()], on=["algorithm", "setting", "epsilon"]
    )
    slack = (last["bound"] / last["mean"]).groupby(last["algorithm"]).agg(["min", "max"])
    said = [f"{n}: {r['min']:.3g} to {r['max']:.3g} times" for n, r in slack.iterrows()]
    end = f"At T = {measured['t'].max():g}"
    return f"{end} the bounds exceed the measured regret: {'; '.join(said)}"


@figure(
    "hu/adap_vs_lazy",
    reads=("fig1_long", "fig2_long", "adap_alpha", "fig1", "fig2"),
    title="Section 4.1: regret of AdaP-UCB over that of Anytime-Lazy-UCB",
    paper_says="AdaP-UCB is equivalent to Anytime-Lazy-UCB with key modifications: how epochs "
    "double and where the noise is added (Section 4.1).",
    alt="Ratio of the regrets of AdaP-UCB and Anytime-Lazy-UCB: against rounds at alpha = 3.1, and "
    "against alpha at a million rounds.",
)
def adap_vs_lazy(tables) -> Drawing:
    long = pd.concat([tables("fig1_long"), tables("fig2_long")])
    over_time = _ratios(long[long["t"] >= 100], ["setting", "epsilon", "t"])
    figure, axes = panels(1, 2)
    for (setting, epsilon), rows in over_time.groupby(["setting", "epsilon"], sort=False):
        name, style = _setting_look(setting, epsilon)
        band(axes[0, 0], rows, "t", name, style, series="adap-ucb")
    alpha = tables("adap_alpha")
    alpha = alpha[alpha["algorithm"] == "adap-ucb"]
    lazy = final(pd.concat([tables("fig1"), tables("fig2")]), algorithm="anytime-lazy-ucb")
    by_alpha = _ratios(pd.concat([alpha, lazy]), ["setting", "epsilon"])
    for (setting, epsilon), rows in by_alpha.groupby(["setting", "epsilon"], sort=False):
        name, style = _setting_look(setting, epsilon)
        band(axes[0, 1], rows, "alpha", name, style, series="adap-ucb")
    for ax in axes[0]:
        ax.axhline(1, color="black", lw=0.6, label="equal regret")
        ax.set(ylabel="AdaP-UCB / Anytime-Lazy-UCB")
    axes[0, 0].set(xscale="log", xlabel="rounds t", title="α = 3.1")
    axes[0, 1].set(xlabel="α", title=f"t = {alpha['t'].max():g}")
    at_end = over_time[over_time["t"] == over_time["t"].max()]
    near_3 = by_alpha[by_alpha["alpha"].isin([3.0, 6.0])]
    said = "; ".join(
        f"alpha = {a:g}: {r['mean'].min():.3g} to {r['mean'].max():.3g}"
        for a, r in near_3.groupby("alpha")
    )
    drawn = pd.concat([over_time.assign(alpha=3.1), by_alpha])
    return Drawing(
        figure,
        drawn,
        f"At alpha = 3.1 and t = {over_time['t'].max():g}, AdaP-UCB has {at_end['mean'].min():.3g} "
        f"to {at_end['mean'].max():.3g} times the regret of Anytime-Lazy-UCB; at "
        f"t = {alpha['t'].max():g} {said}.",
        f"bands: 95% intervals of the ratio of means over runs; hollow: equal gaps; {FIRST}",
    )


def _ratios(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Ratio of adap-ucb to anytime-lazy-ucb per key, with its 95% interval."""
    lazy = table[table["algorithm"] == "anytime-lazy-ucb"].set_index(keys)
    rows = []
    for _, row in table[table["algorithm"] == "adap-ucb"].iterrows():
        interval = ratio(row, lazy.loc[tuple(row[k] for k in keys)])
        labels = {k: row[k] for k in ("setting", "epsilon", "t", "alpha") if k in row.index}
        rows.append({**labels, "mean": interval.value, "low": interval.low, "high": interval.high})
    return pd.DataFrame(rows)


def _setting_look(setting: str, epsilon: float) -> tuple[str, dict]:
    """No algorithm's colour: a curve is a ratio of two."""
    place = 3 * (setting != "linear") + int(np.argmin(np.abs(np.array([0.25, 0.5]) - epsilon)))
    place += int(epsilon > 0.75)
    fill = {} if setting == "linear" else {"mfc": "white"}
    style = {"color": RATIOS[place % 3], "marker": "os^Dvp"[place], **fill}
    return f"{setting} gaps, ε = {epsilon:g}", style
