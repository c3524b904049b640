"""Rows of the ledger: a line of figures/claims.csv per reading, and how they are counted."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbandits.reproduction.files import project_file, read_rows
from dpbandits.reproduction.ledger.verdicts import (
    COLUMNS,
    FAILS,
    FOUND,
    METHODS,
    OURS,
    PRINTED,
    SEVERITIES,
    Verdict,
    certificate_path,
)
from dpbandits.reproduction.papers import OWN

if TYPE_CHECKING:  # pandas takes half a second
    import pandas as pd


class Row(dict[str, str]):
    """A reading of a statement, and what was found: texts, by verdicts.COLUMNS."""

    @classmethod
    def of(cls, claim, verdict: Verdict) -> "Row":
        """The row for a claim and one of its verdicts."""
        values = verdict.model_dump()
        panels = json.dumps(values["published"], ensure_ascii=False) * bool(verdict.published)
        certified = verdict.certificate is not None
        values |= {
            "id": claim.id,
            "paper": claim.paper,
            "statement": claim.statement_of(verdict.reading),
            "kind": claim.about,
            "neighbours": claim.neighbours,
            "evidence": ";".join(verdict.evidence),
            "certificate": certificate_path(claim.id, verdict.reading) if certified else "",
            "published": panels,
        }
        return cls({column: values[column] for column in COLUMNS})

    def __or__(self, other: dict[str, Any]) -> "Row":
        return Row(super().__or__(other))

    @property
    def place(self) -> str:
        """Where the statement stands: "Theorem 8"."""
        return self["statement"].partition(": ")[0]

    @property
    def said(self) -> str:
        """What the statement says there."""
        return self["statement"].partition(": ")[2]

    @property
    def printed(self) -> bool:
        return self["reading"] == PRINTED

    @property
    def ours(self) -> bool:
        """Whether the paper does not print this reading."""
        return self["reading"].startswith(OURS)

    @property
    def fails(self) -> bool:
        return self["verdict"] in FAILS

    @property
    def name(self) -> str:
        """For texts: the id, with the reading if it is not the printed one."""
        return self["id"] if self.printed else f"{self['id']} ({self['reading']})"

    @property
    def key(self) -> str:
        """For files: ID, or ID.READING."""
        return self["id"] if self.printed else f"{self['id']}.{self['reading']}"

    @property
    def anchor(self) -> str:
        """Of the row in the report."""
        return re.sub(r"[^\w.-]+", "-", self.key)

    @property
    def found(self) -> str:
        """What its verdict says, in a sentence."""
        return FOUND[self["verdict"]].format(method=METHODS.get(self["method"], ""))

    @property
    def short(self) -> str:
        """What was found, in one sentence: the row's own, else what its verdict says."""
        return self.get("short") or self.found

    @property
    def panels(self) -> list[dict[str, Any]]:
        """The published panels that it is about."""
        return json.loads(self.get("published") or "[]")


def read_ledger(path: str | Path = "figures/claims.csv") -> list[Row]:
    """The rows of a ledger in a CSV file; by default of the published one."""
    return [*map(Row, read_rows(project_file(path)))]


def rows_of(ledger: "pd.DataFrame") -> list[Row]:
    """The rows of a ledger in a table, in which an empty text may be missing."""
    return [*map(Row, ledger.astype(object).fillna("").to_dict("records"))]


def of_papers(rows: Iterable[dict[str, str]]) -> list[Row]:
    """The rows about papers of others: what is counted as checked."""
    return [Row(row) for row in rows if row["paper"] != OWN.upper()]


def by_cause(rows: Iterable[Row], severity: str = "") -> dict[str, list[Row]]:
    """The failing rows, of one severity or of all, by the id of the row whose error they inherit
    (in the end: a cause may have a cause), or their own. The most frequent causes come first."""
    rows = [*map(Row, rows)]
    cause_of = {row["id"]: row["cause"] for row in rows if row.get("cause")}
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row.fails and severity in ("", row.get("severity")):
            root, seen = row.get("cause") or row["id"], set()
            while root in cause_of and root not in seen:
                seen.add(root)
                root = cause_of[root]
            groups.setdefault(root, []).append(row)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def severities(rows: Iterable[Row]) -> dict[str, int]:
    """How many rows have which severity, the worst first."""
    counts = Counter(row["severity"] for row in rows)
    return {name: counts[name] for name in SEVERITIES if counts[name]}


def wrong_statements(rows: Iterable[Row]) -> list[Row]:
    """The one way to count: the printed rows that fail, one per statement, each with the severity
    and the cause of the worst reading of its statement."""
    failing = [row for row in map(Row, rows) if row.fails]
    rank = [*SEVERITIES, ""].index
    worst: dict[str, dict[str, str]] = {}
    for row in sorted(failing, key=lambda row: rank(row.get("severity", ""))):
        worst.setdefault(row["id"], {name: row.get(name, "") for name in ("severity", "cause")})
    return [row | worst[row["id"]] for row in failing if row.printed]
