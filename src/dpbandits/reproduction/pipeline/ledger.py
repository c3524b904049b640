"""Rows of the ledger and what was measured, from the tables of a paper."""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpbandits.core.files import read_table, write_text
from dpbandits.reproduction.files import write_csv
from dpbandits.reproduction.ledger.claims import Claim, claims
from dpbandits.reproduction.ledger.points import joined
from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.plots.figures import Tables, reader
from dpbandits.reproduction.studies import table_of

RATIO = ("ratio", "ratio_of")


def check_all(claims: Iterable[Claim], tables: Tables | str | Path):
    """The ledger rows of some claims, with the ratio found of true value to what is allowed, and of
    which quantity, as figures show it; what was measured; the certificates of refuted rows.
    tables: a function from a name to a table, or the folder of the tables."""
    read = reader(tables)
    rows, plots, certificates = [], [], []
    for claim in claims:
        for verdict in claim.verdicts(read):
            ratio = dict(zip(RATIO, verdict.ratio, strict=True))
            rows.append(Row.of(claim, verdict) | ratio)
            named = {"id": claim.id, "reading": verdict.reading}
            plots.append(joined(verdict.points).assign(**named))
            certificates += [verdict.certificate] if verdict.certificate else []
    points = pd.concat(plots, ignore_index=True)
    return pd.DataFrame(rows, columns=[*COLUMNS, *RATIO]), points, certificates


def write_verdicts(paper: str, tables: list[str], verdicts: str, points: str, certificates: str):
    """Check the claims of a paper on tables, given by their files, and write what is found."""
    files = {(Path(path).parent.name, Path(path).stem): path for path in tables}
    read = lambda name: read_table(files[table_of(paper, name)])  # noqa: E731
    rows, plots, refuted = check_all([claim for _, claim in sorted(claims(paper).items())], read)
    write_csv(rows, verdicts)
    write_csv(plots, points)
    write_text(json.dumps(refuted, indent=1), certificates)
