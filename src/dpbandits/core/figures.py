"""Figures, and how they register themselves.

    # src/dpbandits/stochastic/figures/over_time.py
    @figure("hu/fig1", title="...", paper_says="...", alt="...")
    def fig1(tables) -> Drawing:
        data = tables("fig1")
        canvas = panels(1, 3)
        ...
        return Drawing(canvas.figure, data, "what we see, in a sentence with its numbers")

`reads` names the paper's tables, `tables(name)` gives one; plots.style has the look.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dpbandits.core.files import read_table
from dpbandits.core.registry import Registry

Tables = Callable[[str], pd.DataFrame]


def reader(tables: Tables | str | Path) -> Tables:
    """Tables by name, from a folder or from what gives them."""
    return tables if callable(tables) else lambda name: read_table(Path(tables) / f"{name}.csv")


@dataclass(frozen=True)
class Drawing:
    figure: Any  # matplotlib.figure.Figure
    data: pd.DataFrame  # exactly what is drawn
    we_see: str = ""  # computed from the data, never typed in
    note: str = ""  # what else a reader of the picture alone must know: marks, bands, shades
    dpi: int = 200  # of the PNG
    finding: str = ""  # what we see in half a sentence, for the title


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

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Of its files; the plot of a claim is no PDF."""
        own = ("png", "csv", "txt")
        return own if self.folder == "claims" else ("pdf", *own)


FIGURES: Registry[Figure] = Registry("figure", "figures")


def figure(
    name: str, *, notebook: str = "figures", reads: tuple[str, ...] = (), title: str,
    paper_says: str = "", alt: str,
):  # fmt: skip
    """Register `make(tables) -> Drawing`; `notebook` is notebooks/PAPER/NOTEBOOK.ipynb.

    A figure without `reads` reads the table of its own name.
    """
    read = tuple(reads) or (name.split("/")[-1],)

    def register(make):
        entry = Figure(name, notebook, read, title, paper_says, alt, make, make.__module__)
        FIGURES.add(name, entry, make)
        return make

    return register
