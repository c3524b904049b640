"""Tables in Markdown and LaTeX, short enough to be read.

Of an experiment's table only the last checkpoint is typeset, with a column per epsilon. Of a long
table of a study some rows are left out, and the caption says so.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

MOST_ROWS = 60
_LATEX = {"±": r"$\pm$", "ε": r"$\varepsilon$", "∞": r"$\infty$"}


def readable(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """At most MOST_ROWS rows of a table, with cells as text, and a caption."""
    if {"algorithm", "epsilon", "metric", "t", "mean", "sem"} <= set(frame.columns):
        table, note = _at_the_end(frame), "Mean ± standard error over runs at the last checkpoint."
    else:
        table, note = frame.map(_text), ""
    if len(table) > MOST_ROWS:
        rows = np.linspace(0, len(table) - 1, MOST_ROWS).round().astype(int)
        note += f" {MOST_ROWS} of {len(table)} rows, evenly spaced; all are in the CSV."
        table = table.iloc[rows]
    return table, note.strip()


def _at_the_end(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard error at the last checkpoint, with a column per epsilon."""
    labels = list(frame.columns[: frame.columns.get_loc("epsilon")])
    keys = [*labels, "metric"]
    last = frame.groupby([*keys, "epsilon"], dropna=False)["t"].transform("max")
    frame = frame[frame["t"] == last]
    cells = [_with_error(*pair) for pair in zip(frame["mean"], frame["sem"], strict=True)]
    frame = frame.assign(cell=cells, column=[f"ε = {_text(e)}" for e in frame["epsilon"]])
    order = frame.sort_values("epsilon", kind="stable")["column"].drop_duplicates()
    wide = frame.set_index([*keys, "column"])["cell"].unstack(sort=False)[list(order)]
    return wide.fillna("").reset_index().map(_text)


def _with_error(mean: float, sem: float) -> str:
    if not np.isfinite(sem):
        return _text(mean)
    return f"{mean:.4g} ± {sem:.2g}" if sem < 100 else f"{mean:.0f} ± {sem:.0f}"


def _text(value) -> str:
    if isinstance(value, float):
        return "∞" if value == np.inf else "" if np.isnan(value) else f"{value:.5g}"
    return str(value)


def as_markdown(table: pd.DataFrame, note: str) -> str:
    rows = [list(table.columns), ["---"] * table.shape[1], *table.to_numpy().tolist()]
    return "\n".join([*map(markdown_row, rows), "", note]).rstrip() + "\n"


def markdown_row(cells: Iterable) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def as_latex(table: pd.DataFrame, note: str) -> str:
    """A LaTeX tabular for the package booktabs, the note as a comment; from `readable`."""
    text = table.to_latex(index=False, escape=True)
    for sign, command in _LATEX.items():
        text = text.replace(sign, command)
    return f"% {note}\n{text}" if note else text
