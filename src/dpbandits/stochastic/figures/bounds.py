"""HU's figures of bounds: Theorems 3 and 5 beside the curves, and AdaP-UCB beside Lazy-UCB."""

import pandas as pd

from dpbandits.core.figures import Drawing, figure
from dpbandits.plots.style import GREY, WINE, band, epsilon_name, look, panels
from dpbandits.stochastic.readings import FIRST, final, ratios_over

OVER = "anytime-lazy-ucb"
RATIO_LOOKS = ((WINE, "o"), (GREY, "s"))  # no algorithm's here: a curve is a ratio of two


@figure(
    "hu/bounds",
    reads=("fig1_long", "fig2_long", "bounds"),
    title="Theorems 3 and 5 with the proofs' constants beside measured regret",
    paper_says="Both algorithms have regret O(sum of ln T/min(gap, ε)) (Theorems 3 and 5).",
    alt="Regret and its bound against rounds on two logarithmic axes, one panel per setting and "
    "ε; dotted, in the colour of its algorithm, each bound.",
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
    said, found = _slack_reading(measured, proved)
    return Drawing(figure, drawn, said, "best arm first", finding=found)


def _slack_reading(measured: pd.DataFrame, proved: pd.DataFrame) -> tuple[str, str]:
    last = final(measured).merge(
        proved[proved["t"] == proved["t"].max()], on=["algorithm", "setting", "epsilon"]
    )
    slack = (last["bound"] / last["mean"]).groupby(last["algorithm"]).agg(["min", "max"])
    said = [f"{n}: {r['min']:.3g} to {r['max']:.3g} times" for n, r in slack.iterrows()]
    end = f"At T = {measured['t'].max():g}"
    found = f"the bounds are {slack['min'].min():.3g} to {slack['max'].max():.3g} times as large"
    return f"{end} the bounds exceed the measured regret: {'; '.join(said)}", found


@figure(
    "hu/adap_vs_lazy",
    reads=("fig1_long", "fig2_long", "adap_alpha", "fig1", "fig2"),
    title="Section 4.1: regret of AdaP-UCB over that of Anytime-Lazy-UCB",
    paper_says="AdaP-UCB is equivalent to Anytime-Lazy-UCB with key modifications: how epochs "
    "double and where the noise is added (Section 4.1).",
    alt="Ratio of the regrets of AdaP-UCB and Anytime-Lazy-UCB, a column per ε, a line for "
    "different and one for equal gaps: above against rounds at α = 3.1, below against α "
    "at a million rounds.",
)
def adap_vs_lazy(tables) -> Drawing:
    long = pd.concat([tables("fig1_long"), tables("fig2_long")])
    alpha = tables("adap_alpha")
    short = final(pd.concat([tables("fig1"), tables("fig2")]), algorithm=OVER)
    over_time = _ratios(long[long["t"] >= 100], ["setting", "epsilon", "t"]).assign(alpha=3.1)
    by_alpha = _ratios(pd.concat([alpha, short]), ["setting", "epsilon"])
    epsilons = sorted(over_time["epsilon"].unique())
    names = {"sharey": True, "sharex": "row", "height": 1.9, "y": "ratio of regrets"}
    figure, axes = panels(2, len(epsilons), **names)
    for row, (x, table) in zip(axes, (("t", over_time), ("alpha", by_alpha)), strict=True):
        for ax, epsilon in zip(row, epsilons, strict=True):
            here = table[table["epsilon"] == epsilon]
            for (setting, rows), (colour, shape) in zip(
                here.groupby("setting", sort=False), RATIO_LOOKS, strict=False
            ):
                style = {"color": colour, "marker": shape}
                band(ax, rows, x, f"{setting} gaps", style, series="adap-ucb")
            ax.axhline(1, color="black", lw=0.6, label="equal regret")
            ax.set_title(f"{epsilon_name(epsilon)}, {'α = 3.1' if x == 't' else 'by α'}")
            ax.set(xscale="log" if x == "t" else "linear", xlabel="rounds t" if x == "t" else "α")
    at_end = over_time[over_time["t"] == over_time["t"].max()]["mean"]
    near_3 = by_alpha[by_alpha["alpha"].isin([3.0, 6.0])]
    said = "; ".join(
        f"α = {a:g}: {r['mean'].min():.3g} to {r['mean'].max():.3g}"
        for a, r in near_3.groupby("alpha")
    )
    found = f"at α = 3.1 it is {at_end.min():.2f} to {at_end.max():.2f} at t = {long['t'].max():g}"
    at = f"at t = {alpha['t'].max():g}"
    said = (
        f"At α = 3.1 and t = {over_time['t'].max():g}, AdaP-UCB has {at_end.min():.3g} "
        f"to {at_end.max():.3g} times the regret of Anytime-Lazy-UCB; {at} {said}."
    )
    note = f"below: {at}; bands: 95% intervals of the ratio of means over runs; {FIRST}"
    return Drawing(figure, pd.concat([over_time, by_alpha]), said, note, finding=found)


def _ratios(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Ratio of adap-ucb to anytime-lazy-ucb per key, with its 95% interval."""
    found = ratios_over(table[table["algorithm"].isin(["adap-ucb", OVER])], OVER, keys)
    kept = [key for key in ("setting", "epsilon", "t", "alpha") if key in found]
    return found[[*kept, "mean", "low", "high"]]
