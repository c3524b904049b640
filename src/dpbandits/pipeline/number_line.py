"""How a claim's plot shows limits and what is beyond them, and one number on a line."""

import textwrap

import numpy as np
import pandas as pd

from dpbandits.core.points import LIMITS
from dpbandits.plots.words import readable

BEYOND, REPAIRED = "#C00000", "#0a5c36"
DRAWN = {  # stated limits are black, repaired ones a wide pale green line behind the rest
    "at_least": {"ls": "-.", "lw": 1}, "at_most": {"ls": "--", "lw": 1},
    "repaired_bound": {"ls": "-", "lw": 6, "alpha": 0.35, "zorder": 1.5},
}  # fmt: skip
RING = {"ls": "", "marker": "o", "mfc": "none", "mec": BEYOND, "ms": 8, "mew": 1.2}


def lines(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(text.replace("$", r"\$"), width))


def number_line(ax, row: pd.Series) -> None:
    """One number on a line, beside what the statement and its repair allow."""
    values = row[["measured", "low", "high", *LIMITS]].dropna().astype(float)
    positive, lowest, highest = values[values > 0], values.min(), values.max()
    log = lowest >= 0 and highest > 30 * positive.min()
    if log:  # 0 lies at the left end
        values = values.replace(0.0, positive.min() / 100)
        ends = values.min() / 2, highest * 2
    else:
        room = 0.08 * (highest - lowest) or 1.0
        ends = lowest - room, highest + room
    ax.set(xscale="log" if log else "linear", xlim=ends, ylim=(0, 1), yticks=[])
    ax.set_xlabel(lines(row["y_label"], 90 // ax.get_gridspec().ncols))
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    sides = (("at_most", ends[1], "most"), ("at_least", ends[0], "least"))
    for column, edge, side in sides:
        if column in values:
            line = DRAWN[column] | {"color": "black", "label": f"stated: at {side}"}
            ax.axvline(values[column], **line)
            if values.get("at_least") != values.get("at_most"):
                ax.fill_between([values[column], edge], 0, 1, color=BEYOND, alpha=0.07, lw=0)
    if "repaired_bound" in values:
        side = "least" if "at_least" in values else "most"
        line = DRAWN["repaired_bound"] | {"color": REPAIRED, "label": f"corrected: at {side}"}
        ax.axvline(values["repaired_bound"], **line)
    error = [[values["measured"] - values["low"]], [values["high"] - values["measured"]]]
    ax.errorbar([values["measured"]], [0.5], xerr=np.maximum(error, 0), color="black", marker="D",
                ms=4, ls="", label="measured value")  # fmt: skip
    if row["beyond"]:
        ax.plot([values["measured"]], [0.5], label="beyond", **RING)
    _tick_numbers(
        ax, values.drop(["low", "high"]), dict(zip(values, row[values.index], strict=True))
    )


def _tick_numbers(ax, values: pd.Series, written: dict[float, float]) -> None:
    """A tick at each number, but for those whose text would lie over another's."""
    places = ax.transData.transform([(value, 0.0) for value in values])[:, 0]
    kept: dict[float, float] = {}
    for value, place in zip(values, places, strict=True):
        if all(abs(place - other) > 45 for other in kept.values()):
            kept[value] = place
    ax.set_xticks(list(kept), [readable(f"{written[value]:.3g}") for value in kept])
    ax.set_xticks([], minor=True)
