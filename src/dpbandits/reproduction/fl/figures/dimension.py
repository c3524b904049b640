"""FL's figure over the dimension, beyond the paper's range."""

import numpy as np

from dpbandits.reproduction.fl.figures.layout import ENDS, RELEASED, ceiling, privacy_label
from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure

LARGE = Plot("d", "mean", **ENDS, curve="epsilon", panel="t", log="x", x_label="dimension d",
             y_label="regret")  # fmt: skip


@figure(
    "fl/large_d",
    reads=("large_d", "horizon"),
    claims=("FL-TAB1",),
    title="Regret with the released constants for large d",
    alt="Regret against d on a logarithmic axis, a panel per horizon, a line with a band per "
    "ε and a level for a random arm, and growth like ln d.",
)
def large_d(tables) -> Drawing:
    data = tables("large_d")
    said = f"released constants ({privacy_label(RELEASED)})"
    canvas, axes = curves(
        data, LARGE, height=3.4, series=RELEASED, titles=lambda t: f"{said}, {t:,} rounds"
    )
    for t, ax in axes.items():
        ceiling(ax, tables("horizon"), t)
        for _, line in data[data["t"] == t].sort_values("d").groupby("epsilon"):
            growth = np.log(line["d"]) / np.log(line["d"].iloc[0])
            ax.plot(line["d"], line["mean"].iloc[0] * growth, color="0.4", ls="-.", lw=1,
                    label="growth like ln d")  # fmt: skip
    return Drawing(canvas, data)
