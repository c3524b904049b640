"""What an interactive plot draws from a figure's CSV: which column is x, y, series, slider.

Figures are many and their tables differ, so this is read off the table: what stands before `low`
and `high` is y; the key with most values is x; the fewest further columns that tell rows apart are
the series and, a control each, the rest. A reader can choose other columns for y.
"""

from pathlib import Path

import pandas as pd

from dpbandits.core.style import OKABE_ITO, look
from dpbandits.core.words import readable

KEYS = ("t", "x", "value", "n", "d", "sparsity", "arms", "s", "alpha", "factor", "T")
KEYS += ("true_epsilon", "epsilon", "epsilon_over_gap", "samples")
MEASURED = ("mean", "measured", "density", "ratio")
SERIES = ("algorithm", "series", "quantity", "mechanism", "preset")
ASIDE = {"runs", "sem", "low", "high", "beyond", "x_label", "y_label", "log", "reading"}
ASIDE |= {"at_least", "at_most", "repaired_bound", "data_sets"}
MOST_STEPS, MOST_LETTERS = 16, 40  # of a slider, of a name
WIDE = 50  # an axis over more than this factor is logarithmic at first
_DASHES = {"-": "", "--": "6 3"}


def plot_of(csv: Path) -> dict | None:
    """Columns and looks, or nothing if there is nothing to draw."""
    table = pd.read_csv(csv)
    varied = [c for c in table if table[c].nunique() > 1 and c not in ASIDE]
    numbers = [c for c in varied if _numeric(table[c])]
    names = [c for c in varied if c not in numbers and table[c].map(_length).max() < MOST_LETTERS]
    y = _y(table, numbers)
    if not y:
        return None
    x = _x(table, [c for c in varied if c != y])
    names = [c for c in names if c != x]
    series = next((c for c in (*SERIES, *names) if c in names and c != "panel"), "")
    steps = [c for c in numbers if c not in (x, y) and table[c].nunique() <= MOST_STEPS]
    by = [c for c in names if c != series] + sorted(steps, key=lambda c: c not in KEYS)
    by = _telling(table, [x, series] if series else [x], by)
    if not series and by and by[0] != "panel" and table[by[0]].nunique() <= 8:
        series = by.pop(0)
    more = [c for c in numbers if c not in {*by, *KEYS, x, y, series}]
    log = "".join(axis for axis, c in (("x", x), ("y", y)) if c != "x" and _wide(table[c]))
    if "log" in table:  # a claim's plot says it
        log = str(table["log"].iloc[0]).replace("nan", "")
    looks = _looks(table[series].unique()) if series == "algorithm" else {}
    metric = table["metric"].unique() if "metric" in table else []
    said = {"looks": looks, "names": _names(table, [x, series, *by, "x_label", "y_label"])}
    said |= {"label": metric[0] if len(metric) == 1 else ""}
    return {"x": x, "y": [y, *more], "series": series, "by": by, "log": log} | said


def _numeric(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _length(value) -> int:
    return len(str(value))


def _y(table: pd.DataFrame, numbers: list[str]) -> str:
    known = next((c for c in MEASURED if c in table and _numeric(table[c])), "")
    if known or "low" not in table:
        return known or next(reversed(numbers), "")
    before = [c for c in table.columns[: table.columns.get_loc("low")] if c in numbers]
    return next(reversed(before), "")


def _x(table: pd.DataFrame, columns: list[str]) -> str:
    """The key with most values; a name that every row has its own of; else what stands first."""
    first = table.columns[0]
    if "x" in table:
        return "x"
    keys = [c for c in KEYS if c in columns and table[c].nunique() > 2]
    if not _numeric(table[first]) and table[first].nunique() == len(table):
        return first
    return max(keys, key=lambda c: table[c].nunique(), default=first)


def _telling(table: pd.DataFrame, known: list[str], columns: list[str]) -> list[str]:
    """The first columns that tell rows with the same `known` apart."""
    chosen: list[str] = []
    groups = table.groupby(known, dropna=False).ngroups
    for column in columns:
        finer = table.groupby([*known, *chosen, column], dropna=False).ngroups
        if finer > groups:
            chosen.append(column)
            groups = finer
    return chosen


def _wide(column: pd.Series) -> bool:
    if not _numeric(column):
        return False
    values = column[column < float("inf")]
    return bool(len(values)) and values.min() > 0 and values.max() > WIDE * values.min()


def _looks(names) -> dict[str, list[str]]:
    """Colour and dash of each algorithm, as in the pictures; other series take the page's own.

    Here are no markers to tell two of one colour apart: the later takes the first that is free.
    """
    found: dict[str, list[str]] = {}
    for name in names:
        taken, style = {colour for colour, _ in found.values()}, look(name)
        free = [colour for colour in (style["color"], *OKABE_ITO) if colour not in taken]
        found[name] = [(free or OKABE_ITO)[0], _DASHES[style["linestyle"]]]
    return found


def _names(table: pd.DataFrame, columns: list[str]) -> dict[str, str]:
    """What a reader sees for the texts of some columns, where it is not what the CSV says."""
    texts = {v for c in columns if c in table and not _numeric(table[c]) for v in table[c].dropna()}
    shown = {str(text): readable(str(text)).replace("_", " ") for text in sorted(map(str, texts))}
    return {text: name for text, name in shown.items() if name != text}
