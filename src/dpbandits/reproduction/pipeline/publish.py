"""Publish the figures and the ledger of a run.

figures/ is committed, while a run writes its figures below results/. Only files that differ are
copied (pictures if they look different, or are not what the run before left), so that `git diff`
shows what a run changed.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dpbandits.core.errors import InputError
from dpbandits.core.files import atomic, sha256, write_csv, write_text
from dpbandits.core.packages import files_in
from dpbandits.reproduction.papers import papers as registered_papers
from dpbandits.reproduction.pipeline.compare import Change, compare_file
from dpbandits.reproduction.pipeline.ledger import as_markdown

LEDGERS = ("claims.csv", "claims.md")
MERGED = ".merged"  # folder of a ledger with rows of earlier runs


def publish(
    made: str | Path,
    published: str | Path,
    papers: Sequence[str],
    before: Mapping[str, str] | None = None,
) -> str:
    """Copy what a run of some papers made to `published`; return a summary of what differs.

    Figures of other papers and their rows of the ledger are not changed. Published files that the
    run has not made are named in the summary, but not deleted. before: checksums of published files
    at the end of the run before; a picture that has another one now is damaged, and replaced.
    """
    made, published = Path(made), Path(published)
    files = [(base, file) for base in (made, published) for key in papers
             for file in files_in(base / key)]  # fmt: skip
    names = {file.relative_to(base).as_posix() for base, file in files}
    sources = {name: made / name for name in sorted(names)}
    sources |= _merged_ledger(made, published, papers)
    changes = [
        _change(name, published / name, path, before or {}) for name, path in sources.items()
    ]
    for change in changes:
        if change.status in ("new", "changed"):
            with atomic(published / change.path) as temporary:
                shutil.copyfile(sources[change.path], temporary)
    differing = [change for change in changes if change.status != "same"]
    same = len(changes) - len(differing)
    head = f"Published into {published}: {len(differing)} files differ, {same} are the same"
    return "\n".join([head, *map(str, differing)]) + "\n"


def _change(name: str, old: Path, new: Path, before: Mapping[str, str]) -> Change:
    change = compare_file(name, old, new)
    if change.status == "gone":
        return Change(name, "extra", "made by no job of this run; it stays")
    only_looks_the_same = change.status == "same" and old.read_bytes() != new.read_bytes()
    if only_looks_the_same and before.get(old.as_posix()) not in (None, sha256(old)):
        return Change(name, "changed", "since the last run, though it looks the same")
    return change


def published_since(summary: str | Path, time: float) -> str:
    """The summary of a publication, if it was written after a time; else ""."""
    summary = Path(summary)
    new = summary.is_file() and summary.stat().st_mtime >= time
    return summary.read_text(encoding="utf-8") if new else ""


def _merged_ledger(made: Path, published: Path, papers: Sequence[str]) -> dict[str, Path]:
    """The files of this run's ledger, together with the published rows of other papers."""
    if not (made / LEDGERS[0]).is_file():
        return {}
    new = pd.read_csv(made / LEDGERS[0], dtype=str, keep_default_na=False)
    parts = [new]
    if (published / LEDGERS[0]).is_file():
        old = _published_ledger(published / LEDGERS[0])
        parts.append(old[~old["paper"].str.lower().isin(papers)])
    order = {key: i for i, key in enumerate(registered_papers())}
    ledger = pd.concat(parts, ignore_index=True)[list(new.columns)].fillna("")
    rank = ledger["paper"].str.lower().map(order).fillna(len(order))
    ledger = ledger.iloc[np.argsort(rank, kind="stable")]
    if ledger.equals(new):
        return {name: made / name for name in LEDGERS}
    write_csv(ledger, made / MERGED / LEDGERS[0])
    write_text(as_markdown(ledger), made / MERGED / LEDGERS[1])
    return {name: made / MERGED / name for name in LEDGERS}


def _published_ledger(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        if "paper" in table and table["paper"].fillna("").ne("").all():  # a short line has none
            return table
        why = "a line or a column is broken"
    except ValueError as error:  # also those of pandas
        why = str(error)
    raise InputError(f"{path}: not a ledger: {why}; delete it, or take it from git again")
