"""HU's figures of bounds: Theorems 3 and 5 beside the curves, and AdaP-UCB beside Lazy-UCB."""

import pandas as pd

from dpbandits.reproduction.hu.claims.figures import ALPHA
from dpbandits.reproduction.hu.summaries import FIRST, final
from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import GREY, WINE, look, panels
from dpbandits.reproduction.statistics import ratios_over

BOUNDED = ["anytime-lazy-ucb", "lazy-dp-ts"]
RATIO_LOOKS = {  # of no algorithm: a curve is a ratio of two
    "linear gaps": {"color": WINE, "marker": "o"}, "equal gaps": {"color": GREY, "marker": "s"},
}  # fmt: skip


@figure(
    "hu/bounds",
    reads=("fig1_long", "fig2_long", "bounds"),
    claims=("HU-T3 (printed)", "HU-T5"),
    title="Theorems 3 and 5 with the proofs' constants beside measured regret",
    alt="Regret and its bound against rounds on two logarithmic axes, one panel per setting and "
    "ε; dotted, in the colour of its algorithm, each bound.",
)
def bounds(tables) -> Drawing:
    measured = pd.concat([tables("fig1_long"), tables("fig2_long")])
    measured = measured[measured["algorithm"].isin(BOUNDED) & (measured["t"] >= 10)]
    proved = tables("bounds").rename(columns={"bound": "mean"})
    data = pd.concat([
        measured.assign(curve=measured["algorithm"]),
        proved.assign(curve="bound of " + proved["algorithm"], metric="bound"),
    ]).drop(columns="means")  # fmt: skip
    data["panel"] = data["setting"] + " gaps, ε = " + data["epsilon"].map("{:g}".format)
    dotted = {"linestyle": ":", "marker": None}
    looks = {f"bound of {name}": look(name) | dotted for name in BOUNDED}
    plot = Plot("t", curve="curve", panel="panel", log="xy", x_label="rounds t", y_label="regret")
    canvas, _ = curves(data, plot, columns=3, height=2.3, looks=looks)
    return Drawing(
        canvas, data,
        "the best arm comes first; both bounds begin as the sum of the gaps times t, so that "
        "they coincide in the first thousands of rounds, of which random play has 1/K; the "
        "proofs round the pulls of an arm, of order ln T, up to a power of 2, as epochs double: "
        "each term stays until ln T has doubled",
    )  # fmt: skip


OVER = "regret of AdaP-UCB /\nof Anytime-Lazy-UCB"
OVER_TIME = Plot("t", curve="gaps", panel="panel", log="x", x_label="rounds t")
OVER_ALPHA = Plot("alpha", curve="gaps", panel="panel", x_label="α")


@figure(
    "hu/adap_vs_lazy",
    reads=("fig1_long", "fig2_long", "adap_alpha", "fig1", "fig2"),
    claims=("HU-S4.1",),
    title="Section 4.1: regret of AdaP-UCB over that of Anytime-Lazy-UCB",
    alt="Ratio of the regrets of AdaP-UCB and Anytime-Lazy-UCB, a column per ε, a line for "
    "different and one for equal gaps: above against rounds, below against α at a million rounds.",
)
def adap_vs_lazy(tables) -> Drawing:
    """A ratio that stays constant over time would be the same rate, a ratio of 1 the same
    algorithm."""
    long = pd.concat([tables("fig1_long"), tables("fig2_long")])
    alpha = tables("adap_alpha")
    lazy = final(pd.concat([tables("fig1"), tables("fig2")]), algorithm="anytime-lazy-ucb")
    over_time = _adap_over_lazy(long[long["t"] >= 1000], ["setting", "epsilon", "t"])
    by_alpha = _adap_over_lazy(pd.concat([alpha, lazy]), ["setting", "epsilon"])
    epsilons = sorted(over_time["epsilon"].unique())
    over_time["panel"] = [f"ε = {e:g}, α = {ALPHA:g}" for e in over_time["epsilon"]]
    by_alpha["panel"] = [f"ε = {e:g}, t = {alpha['t'].max():g}" for e in by_alpha["epsilon"]]
    data = pd.concat([over_time, by_alpha.drop(columns="t")])
    data["gaps"] = data["setting"] + " gaps"
    canvas, axes = panels(2, len(epsilons), sharey="row", height=2.3, y=OVER)
    for row, plot, part in zip(axes, (OVER_TIME, OVER_ALPHA), (over_time, by_alpha), strict=True):
        own = dict(zip(part["panel"].unique(), row, strict=True))
        curves(data[data["panel"].isin(own)], plot, axes=own, looks=RATIO_LOOKS, series="adap-ucb")
        for ax in row:
            ax.set(xlabel=plot.x_label, ylim=(0, None))
            ax.axhline(1, color="black", lw=0.8)
    for ax in axes[1]:
        ax.axvline(ALPHA, color="grey", lw=0.8, label=f"α = {ALPHA:g}, as above")
    note = f"bands are 95% intervals of the ratio of means over runs; {FIRST}"
    return Drawing(canvas, data, note)


def _adap_over_lazy(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Ratio of adap-ucb to anytime-lazy-ucb per key, with its 95% interval."""
    table = table[table["algorithm"].isin(["adap-ucb", "anytime-lazy-ucb"])]
    ratios = ratios_over(table, "anytime-lazy-ucb", keys).sort_values(["epsilon", "setting"])
    labels = [key for key in ("setting", "epsilon", "t", "alpha") if key in ratios]
    return ratios[[*labels, "mean", "low", "high"]]
