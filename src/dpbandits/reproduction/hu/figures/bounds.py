"""HU's figures of bounds: Theorems 3 and 5 beside the curves, and AdaP-UCB beside Lazy-UCB."""

import pandas as pd

from dpbandits.reproduction.hu.summaries import FIRST, final, ratios_over
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import GREY, WINE, band, epsilon_name, look, panels

BOUNDED = ["anytime-lazy-ucb", "lazy-dp-ts"]
RATIO_LOOKS = ((WINE, "o"), (GREY, "s"))  # of no algorithm: a curve is a ratio of two


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
    measured = measured[measured["algorithm"].isin(BOUNDED) & (measured["t"] >= 10)]
    proved = tables("bounds")
    settings, epsilons = (list(measured[key].unique()) for key in ("setting", "epsilon"))
    labels = {"sharex": True, "sharey": True, "height": 2.1, "x": "rounds t", "y": "regret"}
    figure, axes = panels(len(settings), len(epsilons), **labels)
    for (setting, epsilon), rows in measured.groupby(["setting", "epsilon"], sort=False):
        ax = axes[settings.index(setting), epsilons.index(epsilon)]
        lines = proved[(proved["setting"] == setting) & (proved["epsilon"] == epsilon)]
        for name in BOUNDED:
            band(ax, rows[rows["algorithm"] == name], "t", name)
            line = lines[lines["algorithm"] == name]
            style = {"color": look(name)["color"], "linestyle": ":", "gid": name}
            ax.plot(line["t"], line["bound"], label=f"bound of {name}", **style)
        ax.set(title=f"{setting} gaps, ε = {epsilon:g}", xscale="log", yscale="log")
    drawn = pd.concat([measured, proved.rename(columns={"bound": "mean"}).assign(metric="bound")])
    ends = final(measured).merge(
        proved[proved["t"] == proved["t"].max()], on=["algorithm", "setting", "epsilon"]
    )
    slack = (ends["bound"] / ends["mean"]).groupby(ends["algorithm"]).agg(["min", "max"])
    texts = [f"{name}: {r['min']:.3g} to {r['max']:.3g} times" for name, r in slack.iterrows()]
    return Drawing(
        figure,
        drawn,
        f"At T = {measured['t'].max():g} the bounds exceed the measured regret: {'; '.join(texts)}",
        "best arm first",
        finding=f"the bounds are {slack['min'].min():.3g} to {slack['max'].max():.3g} times as "
        "large",
    )


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
    lazy = final(pd.concat([tables("fig1"), tables("fig2")]), algorithm="anytime-lazy-ucb")
    over_time = _adap_over_lazy(long[long["t"] >= 100], ["setting", "epsilon", "t"])
    over_time = over_time.assign(alpha=3.1)
    by_alpha = _adap_over_lazy(pd.concat([alpha, lazy]), ["setting", "epsilon"])
    epsilons = sorted(over_time["epsilon"].unique())
    labels = {"sharey": True, "sharex": "row", "height": 1.9, "y": "ratio of regrets"}
    figure, axes = panels(2, len(epsilons), **labels)
    for above, below, epsilon in zip(*axes, epsilons, strict=True):
        _draw_ratios(above, over_time[over_time["epsilon"] == epsilon], "t")
        above.set(title=f"{epsilon_name(epsilon)}, α = 3.1", xscale="log", xlabel="rounds t")
        _draw_ratios(below, by_alpha[by_alpha["epsilon"] == epsilon], "alpha")
        below.set(title=f"{epsilon_name(epsilon)}, by α", xlabel="α")
    at_end = over_time[over_time["t"] == over_time["t"].max()]["mean"]
    near_3 = by_alpha[by_alpha["alpha"].isin([3.0, 6.0])].groupby("alpha")["mean"]
    texts = "; ".join(f"α = {a:g}: {m.min():.3g} to {m.max():.3g}" for a, m in near_3)
    at = f"at t = {alpha['t'].max():g}"
    return Drawing(
        figure,
        pd.concat([over_time, by_alpha]),
        f"At α = 3.1 and t = {over_time['t'].max():g}, AdaP-UCB has {at_end.min():.3g} "
        f"to {at_end.max():.3g} times the regret of Anytime-Lazy-UCB; {at} {texts}.",
        f"below: {at}; bands: 95% intervals of the ratio of means over runs; {FIRST}",
        finding=f"at α = 3.1 it is {at_end.min():.2f} to {at_end.max():.2f} at "
        f"t = {long['t'].max():g}",
    )


def _adap_over_lazy(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Ratio of adap-ucb to anytime-lazy-ucb per key, with its 95% interval."""
    table = table[table["algorithm"].isin(["adap-ucb", "anytime-lazy-ucb"])]
    ratios = ratios_over(table, "anytime-lazy-ucb", keys)
    labels = [key for key in ("setting", "epsilon", "t", "alpha") if key in ratios]
    return ratios[[*labels, "mean", "low", "high"]]


def _draw_ratios(ax, ratios: pd.DataFrame, x: str) -> None:
    settings = ratios.groupby("setting", sort=False)
    for (setting, rows), (color, marker) in zip(settings, RATIO_LOOKS, strict=False):
        style = {"color": color, "marker": marker}
        band(ax, rows, x, f"{setting} gaps", style, series="adap-ucb")
    ax.axhline(1, color="black", lw=0.6, label="equal regret")
