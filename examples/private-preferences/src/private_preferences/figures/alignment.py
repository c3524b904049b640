"""J and the expected reward against privacy: central methods, and local ones on their own axis."""

from dataclasses import replace

import pandas as pd

from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, MARKERS, METHODS

ALT = "J(π) and expected true reward against epsilon, a panel per coverage and weight η of the "
ALT += "divergence in J, a line with a 95% band over data sets per method, dotted: the reference"
CENTRAL = Plot("epsilon", "mean", "low", "high", curve="method", panel="panel", log="x",
               x_label="exact label loss at most ε", y_label="mean over data sets")  # fmt: skip
LOCAL = replace(CENTRAL, x_label="ε of a report (local)")


@figure(
    "pp/central",
    title="KL's policy and its central rivals at the same exact loss over all label flips",
    paper_says="KL: regularisation alone is private; VPO: so is private regression under it",
    alt=ALT,
    plot=CENTRAL,
)
def central(tables) -> Drawing:
    return _drawing(tables("central"), CENTRAL)


@figure(
    "pp/local",
    title="Rewards learned from randomised labels",
    paper_says="2510.13512: the gap shrinks as 1/((e^ε − 1)² n); 2505.15694: c(ε) times the error",
    alt=ALT,
    plot=LOCAL,
)
def local(tables) -> Drawing:
    return _drawing(tables("local"), LOCAL)


def _drawing(data: pd.DataFrame, plot: Plot) -> Drawing:
    data = data.sort_values(["measure", "coverage"], ascending=[True, False], kind="stable")
    data["panel"] = [f"{r.measure}, coverage {r.coverage:g}, η = {r.objective_eta:g}"
                     for r in data.itertuples()]  # fmt: skip
    names = data["method"].unique()
    looks = {name: {"color": METHODS[i], "marker": MARKERS[i]} for i, name in enumerate(names)}
    canvas, axes = curves(data, plot, columns=4, height=2.4, looks=looks)
    for ax in axes.values():
        ax.axhline(0.0, color=BLACK, ls=":", lw=1, label="reference policy")
    best = pd.DataFrame(_leaders(data[data["measure"] == "J"]), columns=["method", "clearly"])
    table = best.groupby("method")["clearly"].agg(["count", "sum"])
    table = table.sort_values("count", ascending=False)
    return Drawing(
        canvas, data,
        f"The highest mean J is most often that of {table.index[0]}: at {table['count'].iloc[0]} "
        f"of {len(best)} places, clearly at {table['sum'].iloc[0]}.",
        "shaded: 95% intervals of the mean over data sets; a place: a coverage, an η and an ε; "
        "clearly: the interval lies above those of all other methods",
        table.set_axis(["highest mean J at", "clearly at"], axis=1),
    )  # fmt: skip


def _leaders(data: pd.DataFrame):
    """At each place the method with the highest mean J, and if its band is above all others."""
    for _, rows in data.groupby(["coverage", "objective_eta", "epsilon"], sort=False):
        best, *others = rows.sort_values("mean", ascending=False).to_dict("records")
        yield best["method"], best["low"] > max(row["high"] for row in others)
