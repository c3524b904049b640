"""Compare two simulations seed by seed.

Runs of one seed use the same random numbers, so their difference varies much less than either run:
a paired comparison detects differences that a comparison of means cannot. Only seeds and cells that
both have are compared.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from dpbandits.core.errors import InputError
from dpbandits.core.files import read_table
from dpbandits.core.statistics import NORMAL_95
from dpbandits.reproduction.plots.style import look, panels

VALUES = ("value", "regret")
COLUMNS = ("algorithm", "epsilon", "seed", "t", "regret")  # of a file of `dpbandits simulate`


def read_regret(path: str | Path) -> pd.DataFrame:
    """The table that `dpbandits simulate` wrote; any other file raises InputError."""
    table = read_table(path)
    wrong = [f"no column {name}" for name in COLUMNS if name not in table]
    wrong += ["no rows"] if table.empty else []
    for name in () if wrong else COLUMNS[1:]:
        strange = table[name][pd.to_numeric(table[name], errors="coerce").isna()]
        wrong += [f"{name} = {value}, not a number" for value in strange[:1]]
    if wrong:
        raise InputError(f"{path}: {wrong[0]}; allowed: a file of `dpbandits simulate`")
    return table


def per_seed(place: str | Path) -> pd.DataFrame | None:
    """The values of each seed in a file of `dpbandits simulate`, or in all simulations of a folder
    of results; None if there are none."""
    place = Path(place)
    if place.is_file():
        return read_regret(place)
    frames = []
    for path in sorted((place / "simulations").rglob("*.parquet")):
        paper, experiment = path.relative_to(place).parts[1:3]
        frames.append(read_table(path).assign(experiment=f"{paper}/{experiment}"))
    return pd.concat(frames, ignore_index=True) if frames else None


def unmatched(old: pd.DataFrame, new: pd.DataFrame) -> list[str]:
    """The seeds and labels that only one of the two has, in words; they are not compared."""
    lines = []
    for column in (c for c in old.columns if c in new.columns and c not in VALUES):
        before, after = (set(frame[column].dropna()) for frame in (old, new))
        for name, only in (("OLD", before - after), ("NEW", after - before)):
            if only:
                some = ", ".join(map(str, sorted(only)[:5])) + (", ..." if len(only) > 5 else "")
                lines.append(f"{column} {some}: only in {name}")
    return lines


def other_settings(old: str | Path, new: str | Path) -> list[str]:
    """The differences between the settings of two files of `dpbandits simulate`, in words."""
    paths = [Path(f"{place}.json") for place in (old, new)]
    if not all(path.is_file() for path in paths):
        return []
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    differing = [name for name in sorted(before.keys() & after.keys())
                 if before[name] != after[name]]  # fmt: skip
    return [f"{name}: {before[name]} in OLD, {after[name]} in NEW" for name in differing]


def paired(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """One row per cell and round: both means, their difference with its standard error and 95%
    interval (Student's t), and the p-value of no difference."""
    value = next(name for name in VALUES if name in old)
    keys = [c for c in old.columns if c in new.columns and c != value]
    both = old.merge(new, on=keys, suffixes=("_old", "_new"))
    both["difference"] = both[f"{value}_new"] - both[f"{value}_old"]
    cells = both.groupby([k for k in keys if k != "seed"], sort=False, dropna=False)
    table = cells.agg(
        seeds=("difference", "size"),
        old=(f"{value}_old", "mean"),
        new=(f"{value}_new", "mean"),
        difference=("difference", "mean"),
        sem=("difference", "sem"),
    ).reset_index()
    degrees = np.maximum(table["seeds"] - 1, 1)
    half = stdtrit(degrees, 0.975) * table["sem"]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(table["difference"]) / table["sem"]
    p = np.where(table["difference"] == 0, 1.0, 2 * stdtr(degrees, -t))
    return table.assign(low=table["difference"] - half, high=table["difference"] + half, p=p)


def at_the_end(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last round of each cell; regret alone if there are other metrics."""
    if "metric" in table:
        table = table[table["metric"] == "regret"]
    labels = [name for name in _labels(table) if name != "t"]
    return table[table["t"] == table.groupby(labels, dropna=False)["t"].transform("max")]


def _labels(table: pd.DataFrame) -> list[str]:
    """The columns that name a cell and its round: those before the numbers."""
    return list(table.columns[: table.columns.get_loc("seeds")])


def in_words(table: pd.DataFrame) -> list[str]:
    """A line per cell: before, after, difference with interval, p-value and conclusion.

    A cell `differs` if its p-value times the number of cells is below 0.01.
    """
    lines = []
    for row in table.to_dict("records"):
        cell = _cell_name(row[name] for name in _labels(table))
        difference = f"{row['difference']:+.4g} [{row['low']:+.4g}, {row['high']:+.4g}]"
        if row["difference"] == 0 and row["sem"] == 0:
            verdict = "the same in every seed"
        else:
            certain = row["p"] * len(table) < 0.01
            verdict = f"p = {row['p']:.2g}: {'differs' if certain else 'no difference seen'}"
        change = f"{row['old']:.5g} -> {row['new']:.5g}, {difference} over {row['seeds']} seeds"
        lines.append(f"{cell}: {change}, {verdict}")
    return lines


def _cell_name(labels: Iterable) -> str:
    return " ".join(f"{x:g}" if isinstance(x, float) else str(x) for x in labels)


def picture(table: pd.DataFrame, path: str | Path) -> None:
    """Draw the difference over t with its 95% band, a curve per cell."""
    figure, axes = panels(1, 1, width="half", height=3.5)
    ax = axes[0, 0]
    labels = [name for name in _labels(table) if name not in ("t", "metric")]
    for cell, rows in table.groupby(labels, sort=False, dropna=False):
        style = look(_cell_name(cell))
        half = NORMAL_95 * rows["sem"]
        ax.plot(rows["t"], rows["difference"], label=_cell_name(cell), ms=3, **style)
        edges = (rows["difference"] - half, rows["difference"] + half)
        ax.fill_between(rows["t"], *edges, color=style["color"], alpha=0.2, lw=0)
    ax.axhline(0, color="black", lw=0.8)
    ax.set(xscale="log", xlabel="rounds t", ylabel="new - old, mean over the same seeds")
    ax.set_title("Paired difference and its 95% band")
    ax.legend(fontsize=6)
    figure.savefig(path)
