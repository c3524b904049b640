"""Figures and their registry.

    # src/dpbandits/reproduction/hu/figures/over_time.py
    @figure("hu/fig1", title="...", paper_says="...", alt="...")
    def fig1(tables) -> Drawing:
        data = tables("fig1")
        figure, axes = panels(1, 3)
        ...
        return Drawing(figure, data, "what we see, in a sentence with its numbers")

`reads` names the tables of the paper that it reads, each by `tables(name)`. plots.style has panels
and colours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dpbandits.core.errors import InputError
from dpbandits.core.files import read_table
from dpbandits.core.registry import Registry
from dpbandits.reproduction.papers import papers

Tables = Callable[[str], pd.DataFrame]


def reader(tables: Tables | str | Path) -> Tables:
    """A function from a table's name to the table; from a folder of CSV files, or as it is."""
    return tables if callable(tables) else lambda name: read_table(Path(tables) / f"{name}.csv")


@dataclass(frozen=True)
class Drawing:
    figure: Any  # matplotlib.figure.Figure
    data: pd.DataFrame  # exactly what is drawn
    we_see: str = ""  # computed from the data, never typed in
    note: str = ""  # for the caption: what marks, bands and shades mean
    dpi: int = 200  # of the PNG
    finding: str = ""  # for the title: what we see, in half a sentence


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

    @property
    def paper(self) -> str:
        return self.name.split("/")[0]

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of its files; plots of claims have no PDF."""
        suffixes = ("png", "csv", "txt")
        return suffixes if self.folder == "claims" else ("pdf", *suffixes)


FIGURES: Registry[Figure] = Registry("figure", "figures", papers)


def figure(
    name: str, *, notebook: str = "figures", reads: tuple[str, ...] = (), title: str,
    paper_says: str = "", alt: str,
):  # fmt: skip
    """Register `make(tables) -> Drawing`; `notebook` is notebooks/PAPER/NOTEBOOK.ipynb.

    A figure without `reads` reads the table of its own name.
    """
    texts = (name, notebook, title, paper_says, alt, *reads)
    if isinstance(reads, str) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"figure {name!r:.60}: allowed: texts, and a tuple of them for `reads`")
    reads = tuple(reads) or (name.split("/")[-1],)

    def entry(make):
        return Figure(name, notebook, reads, title, paper_says, alt, make, make.__module__)

    return FIGURES.register(name, entry)
