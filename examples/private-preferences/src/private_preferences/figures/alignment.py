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
    alt=ALT,
)
def central(tables) -> Drawing:
    return _drawing(tables("central"), CENTRAL)


@figure(
    "pp/local",
    title="Rewards learned from randomised labels",
    alt=ALT,
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
    return Drawing(canvas, data, "shaded: 95% intervals of the mean over data sets")
