"""Publish the figures and the ledger of a run: copy what differs, and say so.

figures/ is committed, while a run writes its figures below results/; so `git diff` shows what a run
changed. Published files that a run has not made are named, but not deleted.

`sha256sum --check texts.sha256` in figures/ finds a text beside a picture that was edited by hand.
"""

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pandas as pd

from dpbandits.core.files import atomic, files_in, write_text
from dpbandits.reproduction.files import sha256
from dpbandits.reproduction.ledger.certificates import contents
from dpbandits.reproduction.ledger.rows import rows_of
from dpbandits.reproduction.papers import papers as known_papers
from dpbandits.reproduction.pipeline.compare import compare_tables
from dpbandits.reproduction.pipeline.plan import Plan
from dpbandits.reproduction.report.markdown import as_markdown, reproduced_as_markdown

SUMS = "texts.sha256"


def publish_run(plan: Plan, figures: Path, certificates: Sequence[str]) -> str:
    """Publish what a run made: its folder of figures, and files of certificates."""
    text = publish(figures, plan.places.figures, list(plan.papers))
    refuted = [made for path in certificates for made in json.loads(Path(path).read_text("utf-8"))]
    return text + copy(contents(refuted), Path(plan.places.certificates))


def publish(made: str | Path, published: str | Path, papers: Sequence[str]) -> str:
    """Copy what a run of some papers made to `published`; return a summary of what differs.
    Figures of other papers and their rows of the ledger are not changed."""
    made, published = Path(made), Path(published)
    new = {path.relative_to(made).as_posix(): path.read_bytes()
           for key in papers for path in files_in(made / key)}  # fmt: skip
    new |= _ledger(made, published, papers)
    old = [p.relative_to(published).as_posix() for key in papers for p in files_in(published / key)]
    said = copy(new, published, [name for name in old if name not in new])
    write_text(sums(published), published / SUMS)
    return said


def sums(folder: Path) -> str:
    """The sha256 sums of the texts beside pictures."""
    texts = (path for path in files_in(folder) if path.suffix == ".txt")
    return "".join(f"{sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in texts)


def copy(new: dict[str, bytes], folder: Path, extra: Sequence[str] = ()) -> str:
    """Write the files that differ from those in a folder; return a summary."""
    lines = [f"  extra    {name}  (made by no job of this run; it stays)" for name in extra]
    for name, content in sorted(new.items()):
        path = folder / name
        old = path.read_bytes() if path.is_file() else None
        if old != content:
            tables = map(BytesIO, (old, content)) if old and path.suffix == ".csv" else ()
            said = compare_tables(*map(pd.read_csv, tables)) if tables else ""
            lines.append(
                f"  {'changed' if old else 'new    '}  {name}" + f"  ({said})" * bool(said)
            )
            with atomic(path) as temporary:
                temporary.write_bytes(content)
    same = len(new) + len(extra) - len(lines)
    head = f"Published into {folder}: {len(lines)} files differ, {same} are the same"
    return "\n".join([head, *lines]) + "\n"


def _ledger(made: Path, published: Path, papers: Sequence[str]) -> dict[str, bytes]:
    """This run's ledger with the published rows of other papers: as CSV, and what is made of it."""
    if not (made / "claims.csv").is_file():
        return {}
    read = {"dtype": str, "keep_default_na": False}
    ledger = pd.read_csv(made / "claims.csv", **read)
    if (published / "claims.csv").is_file():
        old = pd.read_csv(published / "claims.csv", **read)
        others = old[~old["paper"].str.lower().isin(papers)]
        ledger = pd.concat([ledger, others], ignore_index=True)[list(ledger.columns)].fillna("")
    order = {key: place for place, key in enumerate(known_papers())}
    rank = ledger["paper"].str.lower().map(order).fillna(len(order))
    ledger = ledger.iloc[rank.argsort(kind="stable")]
    rows = rows_of(ledger)
    texts = {
        "claims.csv": ledger.to_csv(index=False, lineterminator="\n"),
        "claims.md": as_markdown(rows),
        "reproduced.md": reproduced_as_markdown(rows),
    }
    return {name: text.encode() for name, text in texts.items()}
