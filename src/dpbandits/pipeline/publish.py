"""Compare two folders of results in standard errors, and publish what changed.

figures/ is committed; the workflow makes its figures under results/. Publishing copies what has
other bytes, of pictures what shows something else, so that `git diff` shows exactly what a run
changed.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype
from scipy.special import stdtr

from dpbandits.core.files import atomic, write_csv, write_text
from dpbandits.core.registry import papers as registered_papers
from dpbandits.pipeline.ledger import as_markdown
from dpbandits.pipeline.pictures import same_picture

NUMBERS = ("mean", "sem", "low", "high", "std", "runs", "value")
DIGITS = 6  # of a number in a table (core.files.FLOAT_FORMAT)
LEDGERS = ("claims.csv", "claims.md")
MERGED = ".merged"


@dataclass(frozen=True)
class Change:
    """How one file differs: status is new, changed, same or gone."""

    path: str
    status: str
    detail: str = ""

    def __str__(self) -> str:
        return f"  {self.status:<8} {self.path}" + (f"  ({self.detail})" if self.detail else "")


def compare(old: str | Path, new: str | Path) -> list[Change]:
    """What differs between two folders: one Change per file, of either, in the order of names.

    Tables are compared by their numbers (in standard errors where they have them), pictures by
    what they show. status: new, changed, same or gone.
    """
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
    if old.read_bytes() == new.read_bytes() or same_picture(old, new):
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
    same_rows = len(a) == len(b) and a[keys].equals(b[keys])
    if estimates and (said := _in_standard_errors(a, b, keys)):
        return said if same_rows else f"of rows in both ({len(a)} before, {len(b)} now) {said}"
    if not same_rows:
        return f"other rows: {len(a)} before, {len(b)} now"
    if not numbers:
        return "other text"
    old_numbers, new_numbers = a[numbers].to_numpy(float), b[numbers].to_numpy(float)
    size = np.fmax(np.abs(old_numbers), np.abs(new_numbers))
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = np.abs(new_numbers - old_numbers) / size
    return f"at most {100 * np.nanmax(gaps, initial=0):.2g}%"


def _in_standard_errors(a: pd.DataFrame, b: pd.DataFrame, keys: list[str]) -> str:
    """The largest gap between means of the same cells; with more runs, whether chance is enough.

    A run's numbers depend on its coordinates alone, so the fewer runs are among the more: with sd
    that of the more, Var(mean of n - mean of N) = sd^2 (1/n - 1/N), not the sum of both variances.
    """
    number = {key: float for key in keys if is_numeric_dtype(a[key]) and is_numeric_dtype(b[key])}
    both = a.astype(number).merge(b.astype(number), on=keys, suffixes=("", "_new"))
    gap, error = (both["mean_new"] - both["mean"]).abs(), np.hypot(both["sem"], both["sem_new"])
    longer = "runs" in a and bool((both["runs"] != both["runs_new"]).all())
    if longer:
        gap = np.maximum(0, gap - _unit(both["mean"]))  # both are rounded
        runs, sems = both[["runs", "runs_new"]].to_numpy(), both[["sem", "sem_new"]].to_numpy()
        spread = np.where(runs[:, 0] > runs[:, 1], sems[:, 0], sems[:, 1]) * np.sqrt(runs.max(1))
        error = spread * np.sqrt(1 / runs.min(1) - 1 / runs.max(1))
    z = gap / error  # no error and a gap: infinite; neither: no number
    if not z.max() > 0:
        return ""
    worst = z.idxmax()
    where = ", ".join(
        f"{key} {both.loc[worst, key]:{'g' if key in number else ''}}" for key in keys
    )
    said = f"at most {z[worst]:.2g} standard errors; there: {where}"
    if not longer:
        return said
    p = min(1.0, 2 * len(both) * stdtr(runs[worst].min() - 1, -z[worst]))
    return f"{said}; {runs[worst, 0]} and {runs[worst, 1]} runs, p = {p:.2g} for {len(both)} rows"


def _unit(numbers: pd.Series) -> np.ndarray:
    """One unit in the last digit that tables keep of a number."""
    with np.errstate(divide="ignore"):
        return 10.0 ** (np.floor(np.log10(numbers.abs().to_numpy())) + 1 - DIGITS)


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


def publish(made: str | Path, published: str | Path, papers: Sequence[str]) -> str:
    """Bring what a run of some papers made into `published`; return a summary for people.

    A file is copied if its bytes differ, a picture if it looks otherwise. Figures of other papers
    stay untouched, and so do their rows of the ledger. What this run no longer makes is named, not
    deleted.
    """
    made, published = Path(made), Path(published)
    names = {
        p.relative_to(base).as_posix()
        for base in (made, published)
        for key in papers
        for p in _files(base / key)
    }
    sources = {name: made / name for name in sorted(names)} | _merged_ledger(
        made, published, papers
    )
    changes = [_compare_file(name, published / name, path) for name, path in sources.items()]
    for change in changes:
        if change.status in ("new", "changed"):
            with atomic(published / change.path) as temporary:
                shutil.copyfile(sources[change.path], temporary)
    shown = [change for change in changes if change.status != "same"]
    same = len(changes) - len(shown)
    head = f"Published into {published}: {len(shown)} files differ, {same} are the same"
    return "\n".join([head, *map(str, shown)]) + "\n"


def published_since(summary: str | Path, time: float) -> str:
    """The summary of a publication, if it was written after a time."""
    summary = Path(summary)
    new = summary.is_file() and summary.stat().st_mtime >= time
    return summary.read_text(encoding="utf-8") if new else ""


def _merged_ledger(made: Path, published: Path, papers: Sequence[str]) -> dict[str, Path]:
    """This run's ledger, with the published rows of the papers not in it: name -> file."""
    if not (made / LEDGERS[0]).is_file():
        return {}
    new = pd.read_csv(made / LEDGERS[0], dtype=str, keep_default_na=False)
    parts = [new]
    if (published / LEDGERS[0]).is_file():
        old = pd.read_csv(published / LEDGERS[0], dtype=str, keep_default_na=False)
        parts.append(old[~old["paper"].str.lower().isin(papers)])
    order = {key: place for place, key in enumerate(registered_papers())}
    ledger = pd.concat(parts, ignore_index=True)[list(new.columns)].fillna("")
    rank = ledger["paper"].str.lower().map(order).fillna(len(order))
    ledger = ledger.iloc[np.argsort(rank, kind="stable")]
    if ledger.equals(new):
        return {name: made / name for name in LEDGERS}
    write_csv(ledger, made / MERGED / LEDGERS[0])
    write_text(as_markdown(ledger), made / MERGED / LEDGERS[1])
    return {name: made / MERGED / name for name in LEDGERS}
