"""The common style of figures: fonts, grid, panels, bands; colour, dash and marker of each name.

matplotlib is imported only when something is drawn, as modules of figures are imported by every
command.
"""

import math
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbandits.core.errors import InputError
from dpbandits.reproduction.papers import papers

if TYPE_CHECKING:
    import pandas as pd

WIDTHS = {"full": 1156, "half": 555}  # of figures on the page, in CSS pixels
PIXELS = 100  # CSS pixels per inch of a figure: a text of 7.2 points is 10 pixels high
BLACK = "0.1"  # of lines


@cache
def use_style() -> None:
    """Seaborn's style with ticks, and what figures.mplstyle changes in it."""
    import matplotlib.style
    import seaborn

    if not os.environ.get("MPLBACKEND"):
        matplotlib.use("agg")
    seaborn.set_style("ticks")
    matplotlib.style.use(Path(__file__).with_name("figures.mplstyle"))
    matplotlib.rcParams.update({"figure.dpi": PIXELS, "savefig.dpi": 2 * PIXELS})


def panels(
    rows: int = 1, columns: int = 1, *, width: str = "full", height: float = 2.6,
    x: str = "", y: str = "", **options,
):  # fmt: skip
    """A figure with rows x columns axes: (figure, axes of shape (rows, columns)).
    width: of the figure, a name in WIDTHS. height: of one panel, in hundreds of pixels. x, y:
    labels of the lowest and of the leftmost axes. options: for matplotlib.pyplot.subplots."""
    use_style()
    import matplotlib.pyplot as plt

    size = (WIDTHS[width] / PIXELS, height * rows)
    options |= {"figsize": size, "squeeze": False, "layout": "constrained"}
    figure, axes = plt.subplots(rows, columns, **options)
    for ax in axes[-1]:
        ax.set_xlabel(x)
    for ax in axes[:, 0]:
        ax.set_ylabel(y)
    return figure, axes


# The palettes of all figures: METHODS, and a sequential one for epsilon (`epsilon_look`). METHODS
# differ by Delta E 26 or more, also for colour-blind readers, and have a contrast of 3 or more on
# white; in grey the markers distinguish them. Dashed lines are of algorithms that
# do not have the stated epsilon.
METHODS = (
    "#0b499d", "#a73006", "#18a861", "#b180c6", "#d38000", "#556fff", "#000000", "#6d2f26",
    "#631250", "#77777b", "#0c0aad",
)  # fmt: skip
BLUE, RED, GREEN, PURPLE, ORANGE, SKY, _, BROWN, WINE, GREY, _ = METHODS
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
SHAPES = (*MARKERS, "<", ">", "p")  # as many as colours
# Each of these has its own marker, all others share the last one.
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0, 0.1, math.inf, 0.01, 20.0, 100.0, 0.25)


@cache
def slots() -> dict[str, int]:
    """The slot of each name, which fixes its look in all figures, as listed by the papers."""
    slots: dict[str, int] = {}
    for paper in papers().values():
        if taken := slots.keys() & paper.looks.keys():
            raise InputError(f"looks of {paper.package}: {min(taken)} has another paper's look")
        slots |= paper.looks
    return slots


@cache
def not_private() -> dict[str, str]:
    """The epsilon that holds, as a text, of each series that does not have the stated one; ∞ if
    none does."""
    return {name: holds for p in papers().values() for name, holds in p.not_private.items()}


def look(name: str) -> dict[str, Any]:
    """Colour, dash and marker of an algorithm or another series, the same in all figures."""
    slot = slots().get(name)
    if slot is None:
        slot = sum(name.encode()) % (len(METHODS) * len(MARKERS))
    return {
        "color": METHODS[slot % len(METHODS)],
        "linestyle": "--" if name in not_private() else "-",
        "marker": MARKERS[slot % len(MARKERS)],
    }


def epsilon_look(epsilon: float) -> dict[str, Any]:
    """Colour and marker of an epsilon, the same in all figures: bright if small, black if inf."""
    import matplotlib

    shade = matplotlib.colormaps["magma"](0.68 / (1 + (epsilon / 2) ** 0.8))
    marker = SHAPES[EPSILONS.index(epsilon) if epsilon in EPSILONS else -1]
    return {"color": matplotlib.colors.to_hex(shade), "linestyle": "-", "marker": marker}


def epsilon_name(epsilon: float) -> str:
    return "ε = ∞" if math.isinf(epsilon) else f"ε = {epsilon:g}"


def curve_name(column: str, value: Any) -> str:
    """The name of a curve or panel, by the column of a table that tells it from others."""
    return epsilon_name(float(value)) if column == "epsilon" else named(str(value))


def curve_look(column: str, value: Any) -> dict[str, Any]:
    """Colour, dash and marker of a curve, by the column of a table that tells it from others."""
    return epsilon_look(float(value)) if column == "epsilon" else look(str(value))


PARTS = {"klucb": "KLUCB", "adap": "AdaP", "linucb": "LinUCB", "and": "and", "flip": "Flip"}
SHORT = "ucb ucb1 kl na dp ts se imed gp rnm ftnl ftl sa jdp fliphat usca rlhf"
PARTS |= {part: part.upper() for part in SHORT.split()}
PARTS |= {"matern52": "Matérn 5/2", "matern32": "Matérn 3/2"}
WORDS = {"rlhf", "se", "matern52", "matern32"}  # names that are not of algorithms


@cache
def _names_pattern() -> re.Pattern:
    names = sorted({*slots(), *not_private(), *WORDS}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, names))})(?![\w-])")


def named(text: str) -> str:
    """The text with the names of algorithms as the papers write them."""

    def name(match: re.Match) -> str:
        return "-".join(PARTS.get(part, part.capitalize()) for part in match[1].split("-"))

    return _names_pattern().sub(name, text)


def band(
    axes, data: "pd.DataFrame", x: str, label: str = "", style: dict[str, Any] | None = None, *,
    series: str = "", y: str = "mean", low: str = "low", high: str = "high", privacy: bool = True,
) -> None:  # fmt: skip
    """Draw a curve against `x` with its interval, from columns of a table, one row per point.
    label: for the legend; "" if another panel has it. series: the name of the algorithm, if it is
    not the label. A series that does not have the stated epsilon is dashed, and its label says so,
    unless the title of the panel does (privacy=False)."""
    series = series or label
    style = dict(style or look(series))
    if series in not_private():
        style["linestyle"] = "--"
        if privacy and label:
            label = f"{named(label)} ({privacy_of(series)})"
    data = data.sort_values(x)
    every = max(1, len(data) // 8)
    (line,) = axes.plot(data[x], data[y], label=named(label), markevery=every, **style)
    line.set_gid(series)  # for tests
    if low in data and high in data:
        axes.fill_between(data[x], data[low], data[high], color=style["color"], alpha=0.18, lw=0)


def privacy_of(series: str) -> str:
    """How private a series is that does not have the stated epsilon."""
    holds = not_private()[series]
    return "not private at any ε" if holds == "∞" else f"private at {holds}, not at ε"
