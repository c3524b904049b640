"""The exact loss against n, eta, beta0, coverage, d and B, beside what the theorems allow."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves, power_text, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, BLUE, GREEN, PURPLE, RED, panels

LOOKS = {
    "exact loss": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "printed bound": {"color": RED, "marker": "^", "linestyle": "--"},
    "end of Appendix C, printed": {"color": PURPLE, "marker": "v", "linestyle": ":"},
    "corrected bound": {"color": GREEN, "marker": "D", "linestyle": "-."},
}
QUANTITIES = dict(zip(("exact loss", "theorem", "appendix", "repaired"), LOOKS, strict=True))
THEOREMS = {  # problem, what changes between neighbours -> name of the panel, its row
    ("bandit", ""): ("bandit, Theorem 1", "KL-T1-pure"),
    ("linear", ""): ("linear, Theorem 2", "KL-T2-pure"),
    ("rlhf", ""): ("RLHF, Theorem 4", "KL-T4-pure"),
    ("rlhf", "label "): ("RLHF, a label flipped, Theorem 3", "KL-T3-pure"),
}
AXES = {
    "n": "records n", "eta": "regularisation η", "beta0": "pessimism β₀",
    "coverage": "coverage (fewest / most)", "dimension": "dimension d",
    "B": "radius B of the MLE's ball",
}  # fmt: skip
NAMES = {name: name for name in LOOKS} | {"exact loss": "exact loss (RLHF: largest found)"}
SHADE, ABOVE = "#fbe9e2", "above the printed bound at some data set; number: largest loss / bound"
CROSS = "a loss above the printed bounds of all data sets"
LOSS = Plot("value", "epsilon", "low", "high", curve="quantity", panel="panel", log="xy")


@figure(
    "kl/loss_vs",
    claims=tuple(f"{row} (printed)" for _, row in THEOREMS.values()),
    title="Privacy loss against n, η, β₀, coverage, d and B",
    alt="Exact pure loss and the bounds on logarithmic axes: a row of panels per theorem, a column "
    "per variable; in each panel the largest exact loss over the printed bound, red above 1.",
)
def loss_vs(tables) -> Drawing:
    data = tables("loss_vs")
    kind = data["quantity"].str.extract("(label )")[0].fillna("")
    data["quantity"] = data["quantity"].str.replace("label ", "").map(QUANTITIES)
    data["theorem"] = [THEOREMS[key][0] for key in zip(data["problem"], kind, strict=True)]
    data["panel"] = data["theorem"] + " against " + data["varied"]
    theorems, varied = [name for name, _ in THEOREMS.values()], [*AXES]
    canvas, grid = panels(len(theorems), len(varied), height=1.75, sharex="col", sharey=False)
    axes = {}
    for theorem, row in zip(theorems, grid, strict=True):
        name = theorem.replace(", Th", ",\nTh")
        row[0].set_ylabel(f"{name}\npure loss ε", fontsize="small")
        for over, ax in zip(varied, row, strict=True):
            if ax is not (first := grid[0, min(1, varied.index(over))]):
                ax.sharey(first)  # n has a scale of its own
            ax.tick_params(labelleft=over in varied[:2])
            axes[f"{theorem} against {over}"] = ax
    curves(data, LOSS, axes=axes_of(data, axes), looks=LOOKS, names=NAMES, titles=lambda panel: "")
    printed = data[data["quantity"] == "printed bound"]
    ratios = printed.groupby(["theorem", "varied"], sort=False)["exact_over"].max()
    for (theorem, over), ratio in ratios.items():
        ax, own = axes[f"{theorem} against {over}"], data[data["varied"] == over]
        x, side = (0.96, "right") if over == "B" else (0.04, "left")  # where no curve is
        style = {"fontsize": 7.6, "ha": side, "color": RED if ratio > 1 else BLACK}
        ax.text(x, 0.06, f"{ratio:.2f}", transform=ax.transAxes, **style)
        if ratio > 1:
            ax.set_facecolor(SHADE)
            ax.plot([], [], "s", ms=10, color=SHADE, mec=RED, mew=0.6, label=ABOVE)
        mine = data[data["panel"] == f"{theorem} against {over}"]
        ends = mine.pivot(index="value", columns="quantity", values="high")
        above = ends["exact loss"][ends["exact loss"] > ends["printed bound"]]
        if len(above):
            ax.plot(above.index, above, "x", color=BLACK, ms=6, mew=1.5, zorder=6, label=CROSS)
        values = own["value"].unique()
        if values.max() > 1000 * values.min():
            values = values[np.log10(values) % 2 == 0]
        ticks_at(ax, values, text=power_text)
    for ax in {*grid.flat}.difference(axes_of(data, axes).values()):
        ax.set_axis_off()
    for over, ax in zip(varied, grid[-1], strict=True):
        ax.set_xlabel(AXES[over])
    most = ratios.groupby("theorem", sort=False).max()
    named = ", ".join(f"{ratio:.2f} ({theorem})" for theorem, ratio in most.items())
    return Drawing(
        canvas, data,
        "lines are means over data sets, shaded from the smallest to the largest; numbers are of "
        "single data sets; the loss is over all neighbours, and for a record added in linear "
        "and RLHF the largest that a search found; the end of Appendix C: Theorem 2 without the "
        "factor 2 of Lemma 1; corrected: docs/proofs/KL.md; what an axis does not move has "
        "the value that follows",
        seen=f"Of the printed bound, a data set drawn here has at most {named}.",
    )  # fmt: skip


def axes_of(data: pd.DataFrame, axes: dict) -> dict:
    """Those of the panels that the data have."""
    return {panel: axes[panel] for panel in data["panel"].unique()}
