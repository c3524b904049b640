"""What an interactive plot draws from a figure's CSV: which column is x, y, series, slider.

Figures are many and their tables differ, so this is read off the table: what stands before `low`
and `high` is y; the key with most values is x; the fewest further columns that tell rows apart are
the series and, a control each, the rest. A reader can choose other columns for y.
"""

import csv
import itertools
from pathlib import Path

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


def plot_of(table: Path) -> dict | None:
    """Columns and looks, or nothing if there is nothing to draw."""
    columns = _columns(table)
    kinds = {c: {*values} - {None} for c, values in columns.items()}
    varied = [c for c in columns if len(kinds[c]) > 1 and c not in ASIDE]
    numbers = [c for c in varied if _numeric(kinds[c])]
    names = [c for c in varied if c not in numbers and max(map(len, kinds[c])) < MOST_LETTERS]
    y = _y(kinds, numbers)
    if not y:
        return None
    x = _x(columns, kinds, [c for c in varied if c != y])
    names = [c for c in names if c != x]
    series = next((c for c in (*SERIES, *names) if c in names and c != "panel"), "")
    steps = [c for c in numbers if c not in (x, y) and len(kinds[c]) <= MOST_STEPS]
    by = [c for c in names if c != series] + sorted(steps, key=lambda c: c not in KEYS)
    by = _telling(columns, [x, series] if series else [x], by)
    if not series and by and by[0] != "panel" and len(kinds[by[0]]) <= 8:
        series = by.pop(0)
    more = [c for c in numbers if c not in {*by, *KEYS, x, y, series}]
    log = "".join(axis for axis, c in (("x", x), ("y", y)) if c != "x" and _wide(kinds[c]))
    if "log" in columns:  # a claim's plot says it
        log = columns["log"][0] or ""
    looks = _looks(dict.fromkeys(columns[series])) if series == "algorithm" else {}
    metric = {*columns.get("metric", ())}
    said = {"looks": looks, "names": _names(kinds, [x, series, *by, "x_label", "y_label"])}
    said |= {"label": metric.pop() if len(metric) == 1 else ""}
    return {"x": x, "y": [y, *more], "series": series, "by": by, "log": log} | said


def _columns(table: Path) -> dict[str, list]:
    """Columns of numbers or of texts, None where nothing stands."""
    with open(table, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return {name: _values([row[i] for row in rows]) for i, name in enumerate(names)}


def _values(texts: list[str]) -> list:
    known = {*texts} - {"", "nan"}
    try:
        values = {text: float(text) for text in known}
    except ValueError:
        values = {text: text for text in known}
    return [values.get(text) for text in texts]


def _numeric(values: set) -> bool:
    return all(isinstance(value, float) for value in values)


def _y(kinds: dict[str, set], numbers: list[str]) -> str:
    known = next((c for c in MEASURED if c in kinds and _numeric(kinds[c])), "")
    if known or "low" not in kinds:
        return known or next(reversed(numbers), "")
    before = [c for c in itertools.takewhile(lambda c: c != "low", kinds) if c in numbers]
    return next(reversed(before), "")


def _x(columns: dict[str, list], kinds: dict[str, set], known: list[str]) -> str:
    """The key with most values; a name that every row has its own of; else what stands first."""
    first = next(iter(columns))
    if "x" in columns:
        return "x"
    keys = [c for c in KEYS if c in known and len(kinds[c]) > 2]
    if not _numeric(kinds[first]) and len(kinds[first]) == len(columns[first]):
        return first
    return max(keys, key=lambda c: len(kinds[c]), default=first)


def _telling(table: dict[str, list], known: list[str], columns: list[str]) -> list[str]:
    """The first columns that tell rows with the same `known` apart."""
    chosen: list[str] = []
    groups = _groups(table, known)
    for column in columns:
        finer = _groups(table, [*known, *chosen, column])
        if finer > groups:
            chosen.append(column)
            groups = finer
    return chosen


def _groups(table: dict[str, list], columns: list[str]) -> int:
    return len({*zip(*(table[c] for c in columns), strict=True)})


def _wide(values: set) -> bool:
    if not _numeric(values):
        return False
    finite = values - {float("inf")}
    return bool(finite) and min(finite) > 0 and max(finite) > WIDE * min(finite)


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


def _names(kinds: dict[str, set], columns: list[str]) -> dict[str, str]:
    """What a reader sees for the texts of some columns, where it is not what the CSV says."""
    texts = {v for c in columns if c in kinds and not _numeric(kinds[c]) for v in kinds[c]}
    shown = {text: readable(text).replace("_", " ") for text in sorted(texts)}
    return {text: name for text, name in shown.items() if name != text}
