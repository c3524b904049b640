"""Figures and their registry.

    # src/dpbandits/reproduction/hu/figures/over_time.py
    REGRET = Plot("t", "mean", "low", "high", curve="algorithm", panel="epsilon", log="xy")

    @figure("hu/fig1", title="...", paper_says="...", alt="...", plot=REGRET)
    def fig1(tables) -> Drawing:
        data = tables("fig1")
        figure, axes = panels(1, 3)
        ...
        return Drawing(figure, data, "What we see, in one plain sentence.", table=numbers)

A figure is a function from tables to a picture, and a declaration of the columns of its CSV that
an interactive plot draws. The picture holds axes, legend and titles of panels; all other text
stands beside it, in NAME.txt. `reads` names the tables of the paper that it reads, each by
`tables(name)`. plots.style has panels and colours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from dpbandits.core.errors import InputError
from dpbandits.core.files import read_table
from dpbandits.core.registry import Registry
from dpbandits.reproduction.papers import papers

Tables = Callable[[str], pd.DataFrame]
SUFFIXES = ("pdf", "png", "csv", "txt")  # of a figure's files


def reader(tables: Tables | str | Path) -> Tables:
    """A function from a table's name to the table; from a folder of CSV files, or as it is."""
    return tables if callable(tables) else lambda name: read_table(Path(tables) / f"{name}.csv")


@dataclass(frozen=True)
class Plot:
    """The columns of a figure's CSV that an interactive plot draws.

    Rows without a finite x and y are not drawn. `low` and `high` are the ends of an interval.
    `curve` and `panel` may be columns of numbers (epsilon); plots.style.curve_look names a curve
    and gives its colour.
    """

    x: str
    y: str = "mean"
    low: str = ""
    high: str = ""
    curve: str = ""
    panel: str = ""
    log: Literal["", "x", "y", "xy"] = ""
    x_label: str = ""
    y_label: str = ""

    @property
    def columns(self) -> set[str]:
        named = (self.x, self.y, self.low, self.high, self.curve, self.panel)
        return {name for name in named if name}


@dataclass(frozen=True)
class Drawing:
    figure: Any  # matplotlib.figure.Figure
    data: pd.DataFrame  # exactly what is drawn
    we_see: str = ""  # one plain sentence, computed from the data, never typed in
    note: str = ""  # what marks, bands and shades mean
    table: pd.DataFrame | None = None  # the numbers behind the sentence: a few rows
    legend: bool = True  # one for all panels; False if the names stand at the curves


@dataclass(frozen=True)
class Figure:
    """A registered figure; its name is PAPER/FILE."""

    name: str
    notebook: str
    reads: tuple[str, ...]
    title: str
    paper_says: str
    alt: str
    make: Callable[[Tables], Drawing]
    module: str
    folder: str = "tables"  # it reads results/FOLDER/PAPER/*.csv
    width: Literal["full", "half"] = "full"  # on the page: plots.style.WIDTHS
    plots: tuple[Plot, ...] = ()  # of the interactive plot; none where it has no simple form

    @property
    def paper(self) -> str:
        return self.name.split("/")[0]


FIGURES: Registry[Figure] = Registry("figure", "figures", papers)


def figure(
    name: str, *, notebook: str = "figures", reads: tuple[str, ...] = (), title: str,
    paper_says: str = "", alt: str, width: Literal["full", "half"] = "full",
    plot: Plot | tuple[Plot, ...] | None = None, folder: str = "tables",
):  # fmt: skip
    """Register `make(tables) -> Drawing`; `notebook` is notebooks/PAPER/NOTEBOOK.ipynb.

    A figure without `reads` reads the table of its own name.
    """
    texts = (name, notebook, title, paper_says, alt, *reads)
    if isinstance(reads, str) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"figure {name!r:.60}: allowed: texts, and a tuple of them for `reads`")
    reads = tuple(reads) or (name.split("/")[-1],)
    plots = plot if isinstance(plot, tuple) else (plot,) if plot else ()

    def entry(make):
        texts = title, paper_says, alt
        own = {"folder": folder, "width": width, "plots": plots}
        return Figure(name, notebook, reads, *texts, make, make.__module__, **own)

    return FIGURES.register(name, entry)
