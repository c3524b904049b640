"""Compare two folders of results file by file, or two files of `dpbandits simulate`."""

from pathlib import Path

import numpy as np
import pandas as pd

from dpbandits.core.errors import InputError
from dpbandits.core.files import files_in, read_table

COLUMNS = ["algorithm", "epsilon", "seed", "t", "regret"]  # of a file of `dpbandits simulate`
NUMBERS = ("mean", "sem", "low", "high", "std", "runs", "value")


def compare(old: str | Path, new: str | Path) -> list[str]:
    """A line for each file that differs: of folders of results, the tables and the figures."""
    bases = Path(old), Path(new)
    parts = [n for n in ("tables", "figures") if any((b / n).is_dir() for b in bases)] or ["."]
    before, now = ({p.relative_to(b) for n in parts for p in files_in(b / n)} for b in bases)
    lines = [f"  {'new ' if n in now else 'gone'}     {n}" for n in now ^ before]
    for name in before & now:
        a, b = (base / name for base in bases)
        if a.read_bytes() != b.read_bytes():
            said = name.suffix == ".csv" and compare_tables(read_table(a), read_table(b))
            lines.append(f"  changed  {name}" + f"  ({said})" * bool(said))
    return sorted(lines, key=lambda line: line[11:])


def read_regret(path: str | Path) -> pd.DataFrame:
    """The table that `dpbandits simulate` wrote."""
    table = read_table(path)
    if list(table) != COLUMNS or table.empty or not table["regret"].dtype.kind == "f":
        raise InputError(f"{path}: allowed: a file of `dpbandits simulate`")
    return table


def compare_tables(a: pd.DataFrame, b: pd.DataFrame) -> str:
    """The largest difference of two tables, in standard errors if they have them."""
    if {"id", "reading", "verdict"} <= {*a} & {*b}:
        both = a.merge(b, on=["id", "reading"], how="outer", suffixes=("", "_new"))
        both = both[["id", "reading", "verdict", "verdict_new"]].fillna("none")
        rows = both[both["verdict"] != both["verdict_new"]].to_numpy()
        changes = ("{}, {}: {} -> {}".format(*row) for row in rows)
        return "; ".join(changes) or "the same verdicts, other text"
    errors = {"mean", "sem"} <= {*a}
    keys = [c for c in a if c not in (NUMBERS if errors else a.select_dtypes("number"))]
    if list(a) != list(b) or not a[keys].equals(b[keys]):
        return f"other rows: {len(a)} before, {len(b)} now"
    gap = (a.drop(columns=keys) - b.drop(columns=keys)).abs()
    if errors:
        return f"at most {(gap['mean'] / np.hypot(a['sem'], b['sem'])).max():.2g} standard errors"
    relative = gap / a[gap.columns].abs().combine(b[gap.columns].abs(), np.fmax)
    return f"at most {100 * relative.max().max():.2g}%"
