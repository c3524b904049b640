"""Rows of the ledger and what was measured, from the tables of a paper."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.ledger.evidence import joined
from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.plots.figures import Tables, reader

RATIO = ("ratio", "ratio_of")


def check_all(ids: Iterable[str], tables: Tables | str | Path):
    """The ledger rows of some claims, with the ratio found of true value to what is allowed, and of
    which quantity, as figures show it; what was measured; the certificates of refuted rows.
    tables: a function from a name to a table, or the folder of the tables."""
    read = reader(tables)
    rows, plots, certificates = [], [], []
    for claim in map(get_claim, ids):
        for verdict in claim.verdicts(read):
            ratio = dict(zip(RATIO, verdict.ratio, strict=True))
            rows.append(Row.of(claim, verdict) | ratio)
            named = {"id": claim.id, "reading": verdict.reading}
            plots.append(joined(verdict.points).assign(**named))
            certificates += [verdict.certificate] if verdict.certificate else []
    points = pd.concat(plots, ignore_index=True)
    return pd.DataFrame(rows, columns=[*COLUMNS, *RATIO]), points, certificates
