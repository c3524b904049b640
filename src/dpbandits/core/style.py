"""One look for all figures: type, grid, panels, bands, and a colour, dash and marker per name.

matplotlib is imported when something is drawn, not before: every start reads figures.
"""

import os
from functools import cache
from typing import Any

import pandas as pd

from dpbandits.core.errors import InputError
from dpbandits.core.registry import papers

COLUMN_WIDTH = 3.4  # inches per panel


@cache
def use_style() -> None:
    """The journal look: small sans serif type, embedded TrueType, light grid, no frame."""
    import matplotlib

    if not os.environ.get("MPLBACKEND"):
        matplotlib.use("agg")
    import seaborn

    seaborn.set_theme(context="paper", style="ticks", font="DejaVu Sans")
    matplotlib.rcParams.update(
        {
            "font.size": 8,
            "axes.titlesize": 8,
            "axes.labelsize": 8,
            "legend.fontsize": 7,
            "xtick.labelsize": 7,
            "ytick.labelsize": 7,
            "lines.linewidth": 1.3,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.constrained_layout.use": True,
            "figure.dpi": 100,
            "savefig.dpi": 200,
            "pdf.fonttype": 42,
            "svg.hashsalt": "dpbandits",
        }
    )


def panels(rows: int, columns: int, *, height: float = 2.5, width: float = COLUMN_WIDTH, **options):
    """A figure with rows x columns axes: (figure, array of axes, always two-dimensional)."""
    use_style()
    import matplotlib.pyplot as plt

    size = (width * columns, height * rows)
    return plt.subplots(rows, columns, figsize=size, squeeze=False, **options)


# Okabe and Ito's colours, told apart by colour-blind readers; dashes and markers tell them in grey.
OKABE_ITO = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D00",
)  # fmt: skip
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@cache
def _slots() -> dict[str, int]:
    """The slot of each name that a paper lists: one look in every figure of every paper."""
    found: dict[str, int] = {}
    for paper in papers().values():
        if taken := found.keys() & paper.looks.keys():
            raise InputError(f"looks of {paper.package}: {min(taken)} has another paper's look")
        found |= paper.looks
    return found


def look(name: str) -> dict[str, Any]:
    """Colour, dash and marker of an algorithm (or of any other named series), always the same."""
    slot = _slots().get(name)
    if slot is None:
        slot = sum(name.encode()) % (len(OKABE_ITO) * len(DASHES))
    colours = len(OKABE_ITO)
    return {
        "color": OKABE_ITO[slot % colours],
        "linestyle": DASHES[(slot + slot // colours) % len(DASHES)],
        "marker": MARKERS[slot % len(MARKERS)],
    }


def band(axes, data: pd.DataFrame, x: str, label: str, style: dict[str, Any] | None = None) -> None:
    """Mean against `x` with its 95% band, from the columns mean, low and high of a table."""
    style = dict(style or look(label))
    data = data.sort_values(x)
    every = max(1, len(data) // 8)
    axes.plot(data[x], data["mean"], label=label, markersize=3, markevery=every, **style)
    axes.fill_between(data[x], data["low"], data["high"], color=style["color"], alpha=0.2, lw=0)
