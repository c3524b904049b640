"""Compare two folders of results, file by file: tables in standard errors, pictures by sight;
or two files of `dpbandits simulate`."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype
from scipy.special import stdtr

from dpbandits.core.documents import read_json
from dpbandits.core.errors import InputError
from dpbandits.core.files import read_table
from dpbandits.core.packages import files_in
from dpbandits.reproduction.pipeline.pictures import same_picture

COLUMNS = ("algorithm", "epsilon", "seed", "t", "regret")  # of a file of `dpbandits simulate`
NUMBERS = ("mean", "sem", "low", "high", "std", "runs", "value")
DIGITS = 6  # of a number in a table (core.files.FLOAT_FORMAT)


@dataclass(frozen=True)
class Change:
    """How one file differs: status is new, changed, same or gone."""

    path: str
    status: str
    detail: str = ""

    def __str__(self) -> str:
        return f"  {self.status:<8} {self.path}" + (f"  ({self.detail})" if self.detail else "")


def compare(old: str | Path, new: str | Path) -> list[Change]:
    """What differs between two folders: one Change per file of either, in the order of names.

    Of a folder of results only the tables and figures are compared. Tables are compared by their
    numbers (in standard errors where they have them), pictures by what they show.
    """
    old, new = Path(old), Path(new)
    for folder in (old, new):
        if not folder.is_dir():
            raise InputError(f"compare: {folder}: no such folder")
    names = {path.relative_to(base).as_posix() for base in (old, new) for path in _compared(base)}
    return [compare_file(name, old / name, new / name) for name in sorted(names)]


def _compared(folder: Path) -> list[Path]:
    """The tables and figures of a folder of results, or all files of another one."""
    parts = [part for part in (folder / "tables", folder / "figures") if part.is_dir()]
    return [path for part in parts or [folder] for path in files_in(part)]


def compare_file(name: str, old: Path, new: Path) -> Change:
    if not old.exists():
        return Change(name, "new")
    if not new.exists():
        return Change(name, "gone", "not made by this run")
    if old.read_bytes() == new.read_bytes() or same_picture(old, new):
        return Change(name, "same")
    detail = compare_tables(read_table(old), read_table(new)) if new.suffix == ".csv" else ""
    return Change(name, "changed", detail)


def compare_simulations(old: Path, new: Path) -> str:
    """The largest difference of two files of `dpbandits simulate`, of the means over their seeds;
    "" if there is none."""
    settings = [read_json(f"{path}.json") for path in (old, new) if Path(f"{path}.json").is_file()]
    if len(settings) == 2 and settings[0] != settings[1]:
        return f"other settings: {settings[0]} before, {settings[1]} now"
    tables = [read_regret(path) for path in (old, new)]
    if tables[0].equals(tables[1]):
        return ""
    cells = [table.groupby(["algorithm", "epsilon", "t"], sort=False) for table in tables]
    return compare_tables(
        *(c["regret"].agg(mean="mean", sem="sem", runs="size").reset_index() for c in cells)
    )


def read_regret(path: str | Path) -> pd.DataFrame:
    """The table that `dpbandits simulate` wrote; any other file raises InputError."""
    table = read_table(path)
    wrong = [f"no column {name}" for name in COLUMNS if name not in table]
    wrong += ["no rows"] if table.empty else []
    for name in () if wrong else COLUMNS[1:]:
        strange = table[name][pd.to_numeric(table[name], errors="coerce").isna()]
        wrong += [f"{name} = {value}, not a number" for value in strange[:1]]
        sizes = () if len(strange) or name == "epsilon" else table[name].abs()
        wrong += [f"{name} = {value:g}, not below 1e100" for value in sizes if not value < 1e100][
            :1
        ]
    if not wrong:
        t, e = (pd.to_numeric(table[name]) for name in ("t", "epsilon"))
        wrong += [f"t = {x}, no round" for x in table["t"][(t < 1) | (t % 1 != 0)][:1]]
        wrong += [f"epsilon = {x}, not above 0" for x in table["epsilon"][~(e > 0)][:1]]
        seed = pd.to_numeric(table["seed"])
        wrong += [f"seed = {x}, no seed" for x in table["seed"][(seed < 0) | (seed % 1 != 0)][:1]]
        wrong += ["algorithm: empty" for _ in table["algorithm"][table["algorithm"].isna()][:1]]
        twice = table[table.duplicated(list(COLUMNS[:4]))]
        cells = (", ".join(f"{k} {row[k]}" for k in COLUMNS[:4]) for _, row in twice[:1].iterrows())
        wrong += [f"{cell} stands there twice" for cell in cells]
    if wrong:
        raise InputError(f"{path}: {wrong[0]}; allowed: a file of `dpbandits simulate`")
    return table


def compare_tables(a: pd.DataFrame, b: pd.DataFrame) -> str:
    """The largest difference of two tables, in standard errors if they have a column `sem`."""
    if list(a.columns) != list(b.columns):
        return "other columns"
    if {"id", "verdict"} <= set(a.columns):
        return _compare_verdicts(a, b)
    has_errors = {"mean", "sem"} <= set(a.columns)
    numbers = [c for c in a.select_dtypes("number") if not has_errors or c in NUMBERS]
    keys = [c for c in a.columns if c not in numbers]
    same_rows = len(a) == len(b) and a[keys].equals(b[keys])
    if has_errors and (difference := _in_standard_errors(a, b, keys)):
        rows = "" if same_rows else f"of rows in both ({len(a)} before, {len(b)} now) "
        return rows + difference
    if not same_rows:
        return f"other rows: {len(a)} before, {len(b)} now"
    if not numbers:
        return "other text"
    x, y = a[numbers].to_numpy(float), b[numbers].to_numpy(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.abs(y - x) / np.fmax(np.abs(x), np.abs(y))
    return f"at most {100 * np.nanmax(relative, initial=0):.2g}%"


def _in_standard_errors(a: pd.DataFrame, b: pd.DataFrame, keys: list[str]) -> str:
    """The largest difference between means of the same cell; if the numbers of runs differ, also
    its p-value. "" if no mean differs.

    A run depends on its coordinates alone, so the fewer runs are a subset of the more. With the
    standard deviation sd of the more, Var(mean of n - mean of N) = sd^2 (1/n - 1/N), which is not
    the sum of both variances.
    """
    numeric = {k: float for k in keys if is_numeric_dtype(a[k]) and is_numeric_dtype(b[k])}
    both = a.astype(numeric).merge(b.astype(numeric), on=keys, suffixes=("", "_new"))
    difference = (both["mean_new"] - both["mean"]).abs()
    error = np.hypot(both["sem"], both["sem_new"])
    other_runs = "runs" in a and bool((both["runs"] != both["runs_new"]).all())
    if other_runs:
        difference = np.maximum(0, difference - _last_digit(both["mean"]))  # both are rounded
        runs, sems = both[["runs", "runs_new"]].to_numpy(), both[["sem", "sem_new"]].to_numpy()
        sd = np.where(runs[:, 0] > runs[:, 1], sems[:, 0], sems[:, 1]) * np.sqrt(runs.max(1))
        error = sd * np.sqrt(1 / runs.min(1) - 1 / runs.max(1))
    z = difference / error  # 0/0 is NaN, which is no maximum
    if not z.max() > 0:
        return ""
    worst = z.idxmax()
    cell = both.loc[worst]
    where = ", ".join(f"{k} {cell[k]:g}" if k in numeric else f"{k} {cell[k]}" for k in keys)
    text = f"at most {z[worst]:.2g} standard errors; there: {where}"
    if not other_runs:
        return text
    p = min(1.0, 2 * len(both) * stdtr(runs[worst].min() - 1, -z[worst]))
    return f"{text}; {runs[worst, 0]} and {runs[worst, 1]} runs, p = {p:.2g} for {len(both)} rows"


def _last_digit(numbers: pd.Series) -> np.ndarray:
    """One unit in the last digit that tables keep of each number."""
    with np.errstate(divide="ignore"):
        return 10.0 ** (np.floor(np.log10(numbers.abs().to_numpy())) + 1 - DIGITS)


def _compare_verdicts(a: pd.DataFrame, b: pd.DataFrame) -> str:
    """The rows of two ledgers whose verdict differs."""
    keys = ["id", "reading"] if "reading" in a else ["id"]
    old, new = (table.set_index(keys)["verdict"].to_dict() for table in (a, b))
    changes = []
    for key in sorted(old | new):
        if old.get(key) != new.get(key):
            name = key if isinstance(key, str) else ", ".join(key)
            changes.append(f"{name}: {old.get(key, 'none')} -> {new.get(key, 'none')}")
    return "verdicts: " + "; ".join(changes) if changes else "the same verdicts, other text"
