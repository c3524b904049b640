"""One look for all figures: type, grid, panels, bands, and a colour, dash and marker per name.

matplotlib is imported when something is drawn, not before: every start reads figures.
"""

import math
import os
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from dpbandits.core.errors import InputError
from dpbandits.core.registry import papers

if TYPE_CHECKING:  # a list of names in a terminal needs no pandas
    import pandas as pd

COLUMN_WIDTH = 3.4  # inches per panel
BLACK = "0.1"  # of lines


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
            "figure.dpi": 100,
            "savefig.dpi": 200,
            "pdf.fonttype": 42,
            "text.hinting": "none",  # else text is wider at one resolution than at another
            "svg.hashsalt": "dpbandits",
        }
    )


def panels(
    rows: int, columns: int, *, height: float = 2.5, width: float = COLUMN_WIDTH,
    x: str = "", y: str = "", **options,
):  # fmt: skip
    """A figure with rows x columns axes: (figure, axes of shape (rows, columns)).

    height, width: of one panel, in inches. options: for matplotlib.pyplot.subplots.
    `x` stands below the lowest axes, `y` left of the first ones.
    """
    use_style()
    import matplotlib.pyplot as plt

    size = (width * columns, height * rows)
    options |= {"figsize": size, "squeeze": False, "layout": "constrained"}
    figure, axes = plt.subplots(rows, columns, **options)
    for ax in axes[-1]:
        ax.set_xlabel(x)
    for ax in axes[:, 0]:
        ax.set_ylabel(y)
    return figure, axes


# The palettes of all figures: METHODS, and a sequential one for epsilon (`epsilon_look`). METHODS
# differ by Delta E 26 or more, also to readers without red or green cones, and have a contrast of 3
# or more on white (tests/core/test_palette.py); markers tell all apart in grey. Full lines keep the
# eps that they say, dashed ones do not.
METHODS = (
    "#0b499d", "#a73006", "#18a861", "#b180c6", "#d38000", "#556fff", "#000000", "#6d2f26",
    "#631250", "#77777b", "#0c0aad",
)  # fmt: skip
BLUE, RED, GREEN, PURPLE, ORANGE, SKY, _, BROWN, WINE, GREY, _ = METHODS
EXACT = "exact"  # the gid of a curve whose eps is computed, not promised
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
SHAPES = (*MARKERS, "<", ">", "p")  # as many as colours
# These have a marker each, others share the last one.
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0, 0.1, math.inf, 0.01, 20.0, 100.0, 0.25)


@cache
def slots() -> dict[str, int]:
    """The slot of each name that a paper lists: one look in every figure of every paper."""
    found: dict[str, int] = {}
    for paper in papers().values():
        if taken := found.keys() & paper.looks.keys():
            raise InputError(f"looks of {paper.package}: {min(taken)} has another paper's look")
        found |= paper.looks
    return found


@cache
def not_private() -> dict[str, str]:
    """What is known of the real eps of series whose eps is not what they are given, by name."""
    return {name: real for p in papers().values() for name, real in p.not_private.items()}


def look(name: str) -> dict[str, Any]:
    """Colour, dash and marker of an algorithm (or of any other named series), always the same."""
    slot = slots().get(name)
    if slot is None:
        slot = sum(name.encode()) % (len(METHODS) * len(MARKERS))
    return {
        "color": METHODS[slot % len(METHODS)],
        "linestyle": "--" if name in not_private() else "-",
        "marker": MARKERS[slot % len(MARKERS)],
    }


def epsilon_look(epsilon: float) -> dict[str, Any]:
    """Colour and marker of an epsilon, always the same: from bright to black without privacy."""
    import matplotlib

    shade = matplotlib.colormaps["magma"](0.68 / (1 + (epsilon / 2) ** 0.8))
    marker = SHAPES[EPSILONS.index(epsilon) if epsilon in EPSILONS else -1]
    return {"color": matplotlib.colors.to_hex(shade), "linestyle": "-", "marker": marker}


def epsilon_name(epsilon: float) -> str:
    return "ε = ∞" if math.isinf(epsilon) else f"ε = {epsilon:g}"


PARTS = {"klucb": "KLUCB", "adap": "AdaP", "linucb": "LinUCB", "and": "and", "flip": "Flip"}
SHORT = "ucb ucb1 kl dp ts se imed gp rnm ftnl ftl sa jdp fliphat usca rlhf"
PARTS |= {part: part.upper() for part in SHORT.split()}
PARTS |= {"matern52": "Matérn 5/2", "matern32": "Matérn 3/2"}
WORDS = {"rlhf", "se", "matern52", "matern32"}  # which are no algorithms


@cache
def _written() -> re.Pattern:
    names = sorted({*slots(), *not_private(), *WORDS}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, names))})(?![\w-])")


def named(text: str) -> str:
    """Algorithms as the papers write them."""

    def name(found: re.Match) -> str:
        return "-".join(PARTS.get(part, part.capitalize()) for part in found[1].split("-"))

    return _written().sub(name, text)


def band(
    axes,
    data: "pd.DataFrame",
    x: str,
    label: str,
    style: dict[str, Any] | None = None,
    *,
    series: str = "",
) -> None:
    """Mean against `x` with its 95% interval, from the columns mean, low and high of a table.

    axes: one of matplotlib's. data: one row per point. x: a column's name. label: for the legend
    ("": another panel names it). `series` names the algorithm if the label does not; a series whose
    eps is not what it is given is dashed and says so.
    """
    series = series or label
    style = dict(style or look(series))
    if series in not_private():
        style["linestyle"] = "--"
        label = label and f"{label} (not private: real ε {not_private()[series]})"
    data = data.sort_values(x)
    every = max(1, len(data) // 8)
    curve = axes.plot(data[x], data["mean"], label=label, ms=3, markevery=every, **style)
    curve[0].set_gid(series)  # which tests read
    axes.fill_between(data[x], data["low"], data["high"], color=style["color"], alpha=0.2, lw=0)
