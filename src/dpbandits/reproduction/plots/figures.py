"""Figures and their registry; docs/how-to/extend.md has an example.

A figure is a function from tables to a picture. It judges nothing: what the paper says and whether
it holds stands in the rows of the ledger that `claims` names, "HU-T3" or one reading of it,
"HU-T3 (step (24))", and the text beside the picture, NAME.txt, is made from them. The picture holds
axes, legend and titles of panels. `reads` names the tables that it reads, each by `tables(name)`.
plots.style has panels and colours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from dpbandits.core.errors import InputError
from dpbandits.core.files import read_table
from dpbandits.core.registry import Registry
from dpbandits.reproduction.papers import registry_of

Tables = Callable[[str], pd.DataFrame]
SUFFIXES = ("pdf", "png", "csv", "txt")  # of a figure's files
LEDGER = ("verdicts", "points")  # not in results/tables/PAPER, but in results/claims/PAPER


def reader(tables: Tables | str | Path) -> Tables:
    """A function from a table's name to the table; from a folder of CSV files, or as it is."""
    if callable(tables):
        return tables
    folder = Path(tables)

    def read(name: str) -> pd.DataFrame:
        if "/" in name:  # of another paper
            return read_table(folder.parent / f"{name}.csv")
        beside = folder.parent.name == "tables" and name in LEDGER
        own = folder.parents[1] / "claims" / folder.name if beside else folder
        return read_table(own / f"{name}.csv")

    return read


@dataclass(frozen=True)
class Plot:
    """The columns that `curves` draws.
    Rows without a finite x and y are not drawn. `low` and `high` are the ends of an interval, if
    the data have these columns.
    `curve` and `panel` may be columns of numbers (epsilon); plots.style.curve_look names a curve
    and gives its colour."""

    x: str
    y: str = "mean"
    low: str = "low"
    high: str = "high"
    curve: str = ""
    panel: str = ""
    log: Literal["", "x", "y", "xy"] = ""
    x_label: str = ""
    y_label: str = ""


@dataclass(frozen=True)
class Drawing:
    figure: Any  # matplotlib.figure.Figure
    data: pd.DataFrame  # exactly what is drawn
    note: str = ""  # what is drawn: what marks, bands and shades mean
    legend: bool = True  # one for all panels; False if the names stand at the curves
    seen: str = ""  # at most one sentence on what is drawn, with numbers of `data`


@dataclass(frozen=True)
class Figure:
    """A registered figure; its name is PAPER/FILE."""

    name: str
    reads: tuple[str, ...]
    title: str
    alt: str
    make: Callable[[Tables], Drawing]
    module: str
    claims: tuple[str, ...] = ()  # rows of the ledger: "ID" or "ID (reading)"
    width: Literal["full", "half"] = "full"  # on the page: plots.style.WIDTHS

    @property
    def paper(self) -> str:
        return self.name.split("/")[0]

    @property
    def file(self) -> str:
        return self.name.split("/", 1)[1]

    @property
    def folder(self) -> str:
        """results/FOLDER/PAPER has what it draws."""
        return "claims" if set(self.reads) <= set(LEDGER) else "tables"

    @property
    def needs(self) -> tuple[str, ...]:
        """The files that it needs, below results/."""
        names = dict.fromkeys((*self.reads, *(["verdicts"] if self.claims else [])))
        return tuple(f"{'claims' if n in LEDGER else 'tables'}/{self.paper}/{n}.csv" for n in names)


FIGURES: Registry[Figure] = registry_of("figure", "figures")


def figure(
    name: str, *, reads: tuple[str, ...] = (), claims: tuple[str, ...] = (), title: str, alt: str,
    width: Literal["full", "half"] = "full",
):  # fmt: skip
    """Register `make(tables) -> Drawing`, which notebooks/PAPER/figures.ipynb draws.
    A figure without `reads` reads the table of its own name."""
    texts = (name, title, alt, *reads, *claims)
    if {str} & {type(reads), type(claims)} or not all(isinstance(text, str) for text in texts):
        raise InputError(f"figure {name!r:.60}: allowed: texts, and tuples of them for `reads`")
    reads = tuple(reads) or (name.split("/")[-1],)
    return FIGURES.register(name, lambda make: Figure(
        name, reads, title, alt, make, make.__module__, claims=tuple(claims), width=width
    ))  # fmt: skip
