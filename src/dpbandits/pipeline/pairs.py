"""Two runs of the same seeds, compared seed by seed: what an edit really changed.

Runs of one seed share their random numbers, so their difference varies far less than either: a
paired comparison sees what two separate means cannot. Only seeds and cells that both have count.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from dpbandits.core.files import read_table
from dpbandits.core.statistics import NORMAL_95

VALUES = ("value", "regret")


def per_seed(place: str | Path) -> pd.DataFrame | None:
    """Values per seed of a file of `dpbandits simulate`, or of all simulations of a results folder.

    None if there are none: then only tables can be compared.
    """
    place = Path(place)
    if place.is_file():
        frame = read_table(place)
        return frame if "seed" in frame else None
    parts = sorted((place / "simulations").rglob("*.parquet"))
    frames = [
        read_table(path).assign(experiment="/".join(path.relative_to(place).parts[1:3]))
        for path in parts
    ]
    return pd.concat(frames, ignore_index=True) if frames else None


def unmatched(old: pd.DataFrame, new: pd.DataFrame) -> list[str]:
    """What only one of the two has, in words: nothing is compared there."""
    said = []
    for column in (c for c in old.columns if c in new.columns and c not in VALUES):
        values = [set(frame[column].dropna()) for frame in (old, new)]
        for place, only in (("OLD", values[0] - values[1]), ("NEW", values[1] - values[0])):
            if only:
                some = ", ".join(map(str, sorted(only)[:5])) + (", ..." if len(only) > 5 else "")
                said.append(f"{column} {some}: only in {place}")
    return said


def other_settings(old: str | Path, new: str | Path) -> list[str]:
    """Whether two files of `dpbandits simulate` hold runs of other settings, as they say."""
    places = [Path(f"{place}.json") for place in (old, new)]
    if not all(place.is_file() for place in places):
        return []
    said = [json.loads(place.read_text(encoding="utf-8")) for place in places]
    return [
        f"{name}: {said[0][name]} in OLD, {said[1][name]} in NEW"
        for name in sorted(said[0].keys() & said[1].keys())
        if said[0][name] != said[1][name]
    ]


def paired(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """One row per cell at each of its rounds: both means, their difference with its 95% band, p."""
    value = next(name for name in VALUES if name in old)
    keys = [c for c in old.columns if c in new.columns and c != value]
    both = old.merge(new, on=keys, suffixes=("_old", "_new"))
    both["gap"] = both[f"{value}_new"] - both[f"{value}_old"]
    cells = both.groupby([k for k in keys if k != "seed"], sort=False, dropna=False)
    table = cells.agg(
        seeds=("gap", "size"),
        old=(f"{value}_old", "mean"),
        new=(f"{value}_new", "mean"),
        difference=("gap", "mean"),
        sem=("gap", "sem"),
    ).reset_index()
    return table.assign(**_judged(table))


def _judged(table: pd.DataFrame) -> dict[str, np.ndarray]:
    from scipy.special import stdtr, stdtrit

    degrees = np.maximum(table["seeds"] - 1, 1)
    half = stdtrit(degrees, 0.975) * table["sem"]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(table["difference"]) / table["sem"]
    p = np.where(table["difference"] == 0, 1.0, 2 * stdtr(degrees, -t))
    return {"low": table["difference"] - half, "high": table["difference"] + half, "p": p}


def at_the_end(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last round of each cell; regret alone if there are other metrics."""
    if "metric" in table:
        table = table[table["metric"] == "regret"]
    rest = [c for c in table.columns[: table.columns.get_loc("seeds")] if c != "t"]
    return table[table["t"] == table.groupby(rest, dropna=False)["t"].transform("max")]


def in_words(table: pd.DataFrame) -> list[str]:
    """A line per cell: before, after, difference with band, p, and whether that is a difference.

    A difference is called one if p, times the number of cells, is below 0.01.
    """
    lines = []
    names = list(table.columns[: table.columns.get_loc("seeds")])
    for row in table.to_dict("records"):
        cell = " ".join(f"{row[n]:g}" if isinstance(row[n], float) else str(row[n]) for n in names)
        gap = f"{row['difference']:+.4g} [{row['low']:+.4g}, {row['high']:+.4g}]"
        if row["difference"] == 0 and row["sem"] == 0:
            verdict = "the same in every seed"
        else:
            certain = row["p"] * len(table) < 0.01
            verdict = f"p = {row['p']:.2g}: {'differs' if certain else 'no difference seen'}"
        said = f"{row['old']:.5g} -> {row['new']:.5g}, {gap} over {row['seeds']} seeds"
        lines.append(f"{cell}: {said}, {verdict}")
    return lines


def picture(table: pd.DataFrame, path: str | Path) -> None:
    """The difference over t with its band, a curve per cell."""
    from dpbandits.plots.style import look, panels

    figure, axes = panels(1, 1, width=5)
    names = [c for c in table.columns[: table.columns.get_loc("seeds")] if c not in ("t", "metric")]
    for cell, rows in table.groupby(names, sort=False, dropna=False):
        label = " ".join(f"{x:g}" if isinstance(x, float) else str(x) for x in cell)
        style = look(label)
        half = NORMAL_95 * rows["sem"]
        axes[0, 0].plot(rows["t"], rows["difference"], label=label, ms=3, **style)
        edges = (rows["difference"] - half, rows["difference"] + half)
        axes[0, 0].fill_between(rows["t"], *edges, color=style["color"], alpha=0.2, lw=0)
    axes[0, 0].axhline(0, color="black", lw=0.8)
    axes[0, 0].set(xscale="log", xlabel="rounds t", ylabel="new - old, mean over the same seeds")
    axes[0, 0].set_title("Paired difference and its 95% band")
    axes[0, 0].legend(fontsize=6)
    figure.savefig(path)
