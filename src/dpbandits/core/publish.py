"""Compare two folders of results in standard errors, and publish what changed.

figures/ is committed; the workflow makes its figures under results/. Publishing copies a figure
only if the CSV of what it draws changed, so that `git diff` shows exactly what a run changed.
"""

import math
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dpbandits.core.files import atomic

NUMBERS = ("mean", "sem", "low", "high", "std", "runs", "value")
FIGURE_SUFFIXES = (".pdf", ".png")


@dataclass(frozen=True)
class Change:
    """How one file differs: status is new, changed, same or gone."""

    path: str
    status: str
    detail: str = ""

    def __str__(self) -> str:
        return f"  {self.status:<8} {self.path}" + (f"  ({self.detail})" if self.detail else "")


def compare(old: str | Path, new: str | Path) -> list[Change]:
    """What differs between two folders; CSV tables by their numbers, the rest by their bytes."""
    old, new = Path(old), Path(new)
    names = {p.relative_to(base).as_posix() for base in (old, new) for p in _files(base)}
    return [_compare_file(name, old / name, new / name) for name in sorted(names)]


def _files(folder: Path) -> list[Path]:
    visible = (p for p in folder.rglob("*") if p.is_file())
    return [p for p in visible if not any(part.startswith(".") for part in p.parts)]


def _compare_file(name: str, old: Path, new: Path) -> Change:
    if not old.exists():
        return Change(name, "new")
    if not new.exists():
        return Change(name, "gone", "not made by this run")
    if old.read_bytes() == new.read_bytes():
        return Change(name, "same")
    detail = compare_tables(old, new) if new.suffix == ".csv" else ""
    return Change(name, "changed", detail)


def compare_tables(old: Path, new: Path) -> str:
    """The largest difference, in standard errors where a table has a `sem` column."""
    a, b = pd.read_csv(old), pd.read_csv(new)
    if list(a.columns) != list(b.columns):
        return "other columns"
    keys = [c for c in a.columns if c not in NUMBERS]
    if len(a) != len(b) or not a[keys].equals(b[keys]):
        return f"other rows: {len(a)} before, {len(b)} now"
    if {"mean", "sem"} <= set(a.columns):
        error = np.hypot(a["sem"], b["sem"])
        with np.errstate(invalid="ignore", divide="ignore"):
            z = (b["mean"] - a["mean"]).abs() / error
        worst = z[np.isfinite(z)].max()
        if math.isfinite(worst):
            return f"at most {worst:.2g} standard errors"
    numbers = a.select_dtypes("number").columns
    if not len(numbers):
        return "other text"
    gap = (b[numbers] - a[numbers]).abs() / a[numbers].abs().clip(lower=1e-300)
    return f"at most {100 * np.nanmax(gap.to_numpy()):.2g}%"


def publish(made: str | Path, published: str | Path, *, redraw: bool = False) -> str:
    """Copy new and changed files of `made` into `published`; return a summary for people."""
    made, published = Path(made), Path(published)
    changes = compare(published, made)
    status = {change.path: change.status for change in changes}
    shown = []
    for change in changes:
        path = Path(change.path)
        if change.status == "gone" and path.suffix == ".md" and path.stem == "README":
            continue
        data = status.get(path.with_suffix(".csv").as_posix())
        kept = path.suffix in FIGURE_SUFFIXES and data == "same" and not redraw
        if change.status == "new" or (change.status == "changed" and not kept):
            _copy(made / path, published / path)
        if change.status != "same" and not (kept and change.status == "changed"):
            shown.append(change)
    same = sum(change.status == "same" for change in changes)
    head = f"Published into {published}: {len(shown)} files differ, {same} are the same"
    return "\n".join([head, *map(str, shown)]) + "\n"


def _copy(source: Path, target: Path) -> None:
    with atomic(target) as temporary:
        shutil.copyfile(source, temporary)
