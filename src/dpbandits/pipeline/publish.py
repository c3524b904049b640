"""Compare two folders of results in standard errors, and publish what changed.

figures/ is committed; the workflow makes its figures under results/. Publishing copies a figure
only if the CSV of what it draws changed, so that `git diff` shows exactly what a run changed.
"""

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
    """What can be compared: of a folder of results its tables and figures, else everything."""
    parts = [folder / name for name in ("tables", "figures")]
    results = any(part.is_dir() for part in parts)
    found = [p for part in (parts if results else [folder]) for p in part.rglob("*")]
    return [p for p in found if p.is_file() and not _hidden(p.relative_to(folder))]


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


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
    if {"id", "verdict"} <= set(a.columns):
        return _compare_verdicts(a, b)
    estimates = {"mean", "sem"} <= set(a.columns)
    numbers = [c for c in a.select_dtypes("number") if not estimates or c in NUMBERS]
    keys = [c for c in a.columns if c not in numbers]
    if len(a) != len(b) or not a[keys].equals(b[keys]):
        return f"other rows: {len(a)} before, {len(b)} now"
    if estimates:
        gap = (b["mean"] - a["mean"]).abs()
        z = gap / np.hypot(a["sem"], b["sem"]).where(gap > 0, 1.0)  # no error and a gap: infinite
        if z.max() > 0:
            where = ", ".join(f"{key} {a.loc[z.idxmax(), key]}" for key in keys)
            return f"at most {z.max():.2g} standard errors; there: {where}"
    if not numbers:
        return "other text"
    old_numbers, new_numbers = a[numbers].to_numpy(float), b[numbers].to_numpy(float)
    size = np.fmax(np.abs(old_numbers), np.abs(new_numbers))
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = np.abs(new_numbers - old_numbers) / size
    return f"at most {100 * np.nanmax(gaps, initial=0):.2g}%"


def _compare_verdicts(a: pd.DataFrame, b: pd.DataFrame) -> str:
    """What a reader of the ledger wants to know first."""
    keys = ["id", "reading"] if "reading" in a else ["id"]
    old, new = (t.set_index(keys)["verdict"].to_dict() for t in (a, b))
    turned = [
        f"{', '.join(key) if 'reading' in a else key}: {old.get(key, 'none')} -> "
        f"{new.get(key, 'none')}"
        for key in sorted(old | new)
        if old.get(key) != new.get(key)
    ]
    return "verdicts: " + "; ".join(turned) if turned else "the same verdicts, other text"


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
