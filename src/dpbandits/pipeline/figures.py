"""Figures: one look for all, and how they register themselves.

    # src/dpbandits/stochastic/figures/over_time.py
    @figure("hu/fig1", notebook="regret", reads=("fig1",), title="...", paper_says="...", alt="...")
    def fig1(tables) -> Drawing:
        data = tables("fig1")
        canvas = panels(1, 3)
        ...
        return Drawing(canvas.figure, data, "what we see, in a sentence with its numbers")

`reads` names the paper's tables, `tables(name)` gives one. The notebook calls `show`, which writes
PDF, PNG, the CSV of exactly what is drawn, and what we see in it as text, and shows the PNG.
matplotlib is imported when something is drawn, not before: the workflow reads this registry at
every start.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import atomic, read_table, write_csv, write_text

Tables = Callable[[str], pd.DataFrame]
COLUMN_WIDTH = 3.4  # inches per panel


@dataclass(frozen=True)
class Drawing:
    figure: Any  # matplotlib.figure.Figure
    data: pd.DataFrame  # exactly what is drawn
    we_see: str = ""  # computed from the data, never typed in


@dataclass(frozen=True)
class Figure:
    """A registered figure: `name` is paper/file name."""

    name: str
    notebook: str
    reads: tuple[str, ...]
    title: str
    paper_says: str
    alt: str
    make: Callable[[Tables], Drawing]
    module: str
    folder: str = "tables"  # where the files that it reads are: results/FOLDER/PAPER

    @property
    def paper(self) -> str:
        return self.name.split("/")[0]


_figures: dict[str, Figure] = {}


def figure(
    name: str, *, notebook: str, reads: tuple[str, ...], title: str, paper_says: str = "", alt: str
):
    """Register `make(tables) -> Drawing`; `notebook` is notebooks/PAPER/NOTEBOOK.ipynb."""

    def register(make):
        _figures[name] = Figure(
            name, notebook, tuple(reads), title, paper_says, alt, make, make.__module__
        )
        return make

    return register


def figures() -> dict[str, Figure]:
    """Those that registered themselves, and one per claim."""
    from dpbandits.pipeline.claim_plots import claim_figures
    from dpbandits.core.registry import import_all

    import_all("figures")
    return _figures | claim_figures()


def get_figure(name: str) -> Figure:
    known = figures()
    if name not in known:
        raise InputError(f"figure: unknown '{name}'; {nearest(name, sorted(known))}")
    return known[name]


def draw(name: str, tables: str | Path, out: str | Path) -> Drawing:
    """Make a figure from a folder of tables, and write it to `out`."""
    entry = get_figure(name)
    use_style()
    drawing = entry.make(lambda table: read_table(Path(tables) / f"{table}.csv"))
    save(drawing, Path(out) / _file(name))
    _let_go(drawing.figure)
    return drawing


def show(name: str, tables: str | Path, figures: str | Path) -> None:
    """In a notebook: draw a figure, print what we see in it, and show its PNG as it was written."""
    from IPython.display import Image, display

    print(draw(name, tables, figures).we_see)
    display(Image(filename=Path(figures) / f"{_file(name)}.png"))


def _file(name: str) -> str:
    return name.split("/", 1)[1]


def _let_go(figure) -> None:
    """Take a figure from pyplot, which would show it once more at the end of a notebook's cell."""
    import matplotlib.pyplot as plt

    plt.close(figure)


def save(drawing: Drawing, stem: Path) -> None:
    """STEM.pdf, .png, .csv, and .txt (what we see); no dates: equal data give equal files."""
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    with atomic(f"{stem}.pdf") as temporary:
        drawing.figure.savefig(temporary, metadata={"CreationDate": None})
    with atomic(f"{stem}.png") as temporary:
        _save_png(drawing.figure, temporary)
    write_csv(drawing.data, f"{stem}.csv")
    write_text(f"{drawing.we_see}\n", f"{stem}.txt")


def _save_png(figure, path: Path) -> None:
    """With a palette of 256 colours: nobody sees it, and it takes a third of the bytes."""
    from PIL import Image

    drawn = BytesIO()
    figure.savefig(drawn, format="png", pil_kwargs={"compress_level": 1})
    with Image.open(drawn) as picture:
        palette = {"method": Image.Quantize.MAXCOVERAGE, "dither": Image.Dither.NONE}
        picture.convert("RGB").quantize(256, **palette).save(path, "PNG", dpi=picture.info["dpi"])


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
# The slot of each known name: the same look for the same algorithm in every figure of every paper.
_SLOTS = {
    "anytime-lazy-ucb": 0, "lazy-dp-ts": 1, "dp-se": 2, "adap-klucb": 3, "adap-ucb": 4,
    "dp-klucb": 5, "dp-imed": 6, "thompson": 7, "ucb1": 8, "kl-ucb": 9,
    "rnm-ftnl": 0, "rnm-ftnl-corrected": 1, "ftnl": 2, "ftl": 6,
    "fliphat": 0, "random-arm": 6, "sa-lasso": 2, "jdp-linucb": 3,
    "usca": 0, "posterior-mean": 6, "gp-ucb": 2, "private-gp-ucb": 3, "exponential-gp": 1,
    "random-action": 7,
}  # fmt: skip


def look(name: str) -> dict[str, Any]:
    """Colour, dash and marker of an algorithm (or of any other named series), always the same."""
    slot = _SLOTS.get(name)
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


def fit_power(x: np.ndarray, y: np.ndarray, sem: np.ndarray | None = None) -> tuple[float, float]:
    """Slope of ln y on ln x and its standard error; weighted if standard errors of y are given."""
    x, y = np.log(np.asarray(x, float)), np.asarray(y, float)
    weights = np.ones_like(x) if sem is None else (y / np.asarray(sem, float)) ** 2
    centred = x - np.average(x, weights=weights)
    spread = np.sum(weights * centred**2)
    slope = np.sum(weights * centred * np.log(y)) / spread
    residual = np.log(y) - np.average(np.log(y), weights=weights) - slope * centred
    scale = np.sum(weights * residual**2) / max(1, len(x) - 2)
    if sem is not None:
        scale = max(1.0, scale)  # a poor fit widens the interval, a lucky one does not narrow it
    return float(slope), float(np.sqrt(scale / spread))
