"""The claims ledger: what a check returns, and how checks register themselves.

    # src/dpbandits/stochastic/claims/regret.py
    @claim("HU-T2", where="Theorem 2", statement="...", kind="privacy",
           neighbours="one reward vector replaced", reads=("hu/fig1",))
    def anytime_lazy_ucb_is_private(tables) -> Verdict: ...

`reads` names the tables that the check needs; `tables(name)` returns one as a DataFrame. The
verdict carries the points of the claim's plot (core.points), which pipeline.claim_plots draws.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import field_validator, model_validator

from dpbandits.core.files import read_table
from dpbandits.core.models import Model
from dpbandits.core.points import joined
from dpbandits.core.registry import Registry

VERDICTS = ("holds", "violated", "rejected", "consistent", "ambiguous", "untestable")
COLUMNS = (
    *("id", "paper", "statement", "kind", "method", "neighbours", "scope", "measured", "bound"),
    *("slack", "verdict", "confidence", "evidence", "counterexample", "proof_step", "corrected"),
)


class Verdict(Model):
    """What one check found. Sampling alone never says `holds` or `violated`."""

    verdict: Literal["holds", "violated", "rejected", "consistent", "ambiguous", "untestable"]
    method: Literal["exact", "certified", "statistical", "argument"]  # a proof counts as exact
    scope: str  # over what: parameters, sizes, data sets
    measured: str = ""  # what was found, with its units
    bound: str = ""  # what the claim allows
    slack: str = ""  # bound against measured
    confidence: str = ""  # needed for every statistical verdict
    evidence: tuple[str, ...] = ()  # committed paths
    counterexample: str = ""  # needed if violated
    proof_step: str = ""  # the step of the printed proof that breaks
    corrected: str = ""  # the strongest statement that the audit supports
    points: tuple[Any, ...] = ()  # tables of core.points: the claim's plot, not in the ledger

    @field_validator("evidence", mode="before")
    @classmethod
    def _one_or_many(cls, value):
        return (value,) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _honest(self):
        if self.method == "statistical":
            if self.verdict in ("holds", "violated"):
                raise ValueError("sampling alone never says holds or violated")
            if self.verdict in ("rejected", "consistent") and not self.confidence:
                raise ValueError("a statistical verdict states its confidence")
        if self.verdict in ("holds", "violated") and self.method not in ("exact", "certified"):
            raise ValueError("holds and violated need a proof or an exact or certified computation")
        if self.verdict == "violated" and not self.counterexample:
            raise ValueError("violated needs its counterexample")
        return self

    @model_validator(mode="after")
    def _shown(self):
        """The plot and the verdict must say the same."""
        beyond = any(part["beyond"].any() for part in self.points)
        if self.points and self.verdict in ("holds", "consistent") and beyond:
            raise ValueError(f"{self.verdict}, yet a point of its plot is beyond the statement")
        if self.points and self.verdict in ("violated", "rejected") and not beyond:
            raise ValueError(f"{self.verdict}, yet no point of its plot shows it")
        return self


@dataclass(frozen=True)
class Claim:
    """A printed statement and the function that judges it."""

    id: str
    where: str  # theorem, lemma, section
    statement: str  # in our own words, with the printed constants
    kind: str  # privacy, regret, lower bound, inequality, figure, ...
    neighbours: str  # the neighbour relation, "" where none is meant
    reads: tuple[str, ...]
    check: Callable[..., Verdict]
    module: str

    @property
    def paper(self) -> str:
        return self.id.split("-")[0]


CLAIMS: Registry[Claim] = Registry("claim", "claims")


def claim(
    id: str, *, where: str, statement: str, kind: str, neighbours: str = "", reads: tuple = ()
):
    """Register `check(tables) -> Verdict` under a claim's id."""

    def register(check):
        module = check.__module__
        entry = Claim(id, where, statement, kind, neighbours, tuple(reads), check, module)
        CLAIMS.add(id, entry, check)
        return check

    return register


def claims() -> dict[str, Claim]:
    return CLAIMS.all()


def get_claim(id: str) -> Claim:
    return CLAIMS.get(id)


def as_markdown(ledger) -> str:
    """The ledger (a DataFrame of text) for reading: the verdicts first, then one part per claim."""
    counts = ledger["verdict"].value_counts()
    lines = [
        "# The claims ledger",
        "",
        "Every claim of the four papers with a computed verdict.",
        "",
    ]
    lines += [f"- {verdict}: {counts.get(verdict, 0)}" for verdict in VERDICTS]
    lines += ["", "| id | verdict | measured | bound | statement |", "|---|---|---|---|---|"]
    columns = ["id", "verdict", "measured", "bound", "statement"]
    lines += [_markdown_row(values) for values in ledger[columns].itertuples(index=False)]
    for values in ledger.to_dict("records"):
        lines += ["", f"## {values['id']}: {values['verdict']}", "", values["statement"], ""]
        given = [c for c in COLUMNS if c not in ("id", "statement", "verdict") and values[c]]
        lines += [f"- **{column.replace('_', ' ')}**: {values[column]}" for column in given]
    return "\n".join(lines) + "\n"


def _markdown_row(cells) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def row(claim: Claim, verdict: Verdict) -> dict[str, str]:
    """One line of the ledger, keyed by COLUMNS."""
    values = verdict.model_dump() | {
        "id": claim.id,
        "paper": claim.paper,
        "statement": f"{claim.where}: {claim.statement}",
        "kind": claim.kind,
        "neighbours": claim.neighbours,
        "evidence": ";".join(verdict.evidence),
    }
    return {column: values[column] for column in COLUMNS}


def check_claims(ids: Iterable[str], tables: str | Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ledger rows of some claims, and the points of their plots, from a folder of tables."""

    def read(name: str) -> pd.DataFrame:
        return read_table(Path(tables) / f"{name}.csv")

    rows, plots = [], []
    for claim in map(get_claim, ids):
        verdict = claim.check(read)
        rows.append(row(claim, verdict))
        plots.append(joined(verdict.points).assign(id=claim.id))
    return pd.DataFrame(rows, columns=list(COLUMNS)), pd.concat(plots, ignore_index=True)
