"""Rows of the ledger and points of plots from the tables of a paper, and the ledger as Markdown."""

import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.ledger.points import joined
from dpbandits.reproduction.ledger.verdicts import (
    COLUMNS,
    FAILS,
    MEANING,
    PRINTED,
    SEVERITIES,
    VERDICTS,
    by_cause,
    row,
    row_name,
    wrong_statements,
)
from dpbandits.reproduction.plots.figures import Tables, reader
from dpbandits.reproduction.plots.words import formulas

PROSE = ["statement", "scope", "measured", "bound", "slack", "confidence", "counterexample"]
PROSE += ["proof_step", "repaired", "tightness"]


def check_all(ids: Iterable[str], tables: Tables | str | Path):
    """The ledger rows of some claims, with the ratio found of true value to what is allowed, which
    figures show; the points of their plots; the certificates of refuted rows.

    tables: a function from a name to a table, or the folder of the tables.
    """
    read = reader(tables)
    rows, plots, certificates = [], [], []
    for claim in map(get_claim, ids):
        for verdict in claim.verdicts(read):
            rows.append(row(claim, verdict) | {"ratio": verdict.ratio})
            named = {"id": claim.id, "reading": verdict.reading}
            plots.append(joined(verdict.points).assign(**named))
            certificates += [verdict.certificate] if verdict.certificate else []
    points = pd.concat(plots, ignore_index=True)
    return pd.DataFrame(rows, columns=[*COLUMNS, "ratio"]), points, certificates


def as_markdown(ledger: pd.DataFrame) -> str:
    """The ledger (text only) for readers: counts and severities, then a section per row."""
    ledger = ledger.assign(**{column: ledger[column].map(formulas) for column in PROSE})
    counts = ledger["verdict"].value_counts()
    claims = ledger["id"].nunique()
    lines = ["# The ledger", "", f"{claims} statements, {len(ledger)} rows: one per reading.", ""]
    lines += [f"- {verdict}: {counts[verdict]}" for verdict in VERDICTS if verdict in counts]
    lines += ["", "## Failing statements by severity", "", *_failures(ledger)]
    lines += ["", "## All rows"]
    columns = ["id", "reading", "verdict", "severity", "statement", "corrected statement"]
    lines += ["", markdown_row(columns), markdown_row(["---"] * len(columns))]
    rows = ledger.rename(columns={"repaired": "corrected statement"}).to_dict("records")
    for values in rows:
        linked = values | {"id": f"[{values['id']}](#{_anchor(_title(values))})"}
        lines.append(markdown_row(linked[column] for column in columns))
    for values in ledger.to_dict("records"):
        lines += ["", f"## {_title(values)}", "", values["statement"], ""]
        shown = [c for c in COLUMNS if c not in ("id", "statement", "verdict") and values[c]]
        names = [column.replace("_", " ").replace("repaired", "corrected") for column in shown]
        lines += [f"- **{n}**: {values[c]}" for n, c in zip(names, shown, strict=True)]
    return "\n".join(lines) + "\n"


def markdown_row(cells: Iterable) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def reproduced(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows about published figures, by panel: with its name, and what is said of it."""
    found = []
    for values in rows:
        panel, _, says = values["statement"].partition(": ")
        if values["kind"] == "figure" and (match := re.search(r"Figures? \d.*", panel)):
            found.append(values | {"panel": match[0], "says": says})
    return found


def reproduced_as_markdown(ledger: pd.DataFrame) -> str:
    """One table of the published figures: published, ours, deviation, verdict, link."""
    names = ["panel", "constants", "published", "ours", "deviation", "verdict", "row"]
    lines = ["# The published figures", "", markdown_row(names), markdown_row(["---"] * 7)]
    for values in reproduced(ledger.to_dict("records")):
        link = f"[{values['id']}](claims.md#{_anchor(_title(values))})"
        published = f"{values['says']}: {values['bound']}"
        deviation = values["slack"] or "no number is printed"
        cells = (f"{values['paper']} {values['panel']}", values["reading"], published,
                 values["measured"], deviation, values["verdict"], link)  # fmt: skip
        lines.append(markdown_row(map(formulas, cells)))
    return "\n".join(lines) + "\n"


def _failures(ledger: pd.DataFrame) -> list[str]:
    """Lists of the causes of each severity, with the statements that inherit their error."""
    rows, lines = ledger.to_dict("records"), []
    wrong = wrong_statements(rows)
    for severity in SEVERITIES:
        causes = by_cause(wrong, severity)
        count = sum(map(len, causes.values()))
        if count:
            lines.append(f"- **{severity}** ({MEANING[severity]}): {count} statements")
        for cause, own in causes.items():
            names = ", ".join(map(_placed, own))
            lines.append(f"  - {names}" if len(own) == 1 else f"  - from {cause}: {names}")
    others = [row for row in rows if row["verdict"] in FAILS and row["reading"] != PRINTED]
    if others:
        names = ", ".join(f"{row_name(row)}: {row['severity']}" for row in others)
        lines.append(f"- Other readings that fail, by their own severity: {names}")
    return lines


def _placed(row: dict[str, str]) -> str:
    """A row's name with its place in the paper."""
    place, colon, _ = row["statement"].partition(": ")
    return f"{row_name(row)} ({place})" if colon else row_name(row)


def _title(values: dict[str, str]) -> str:
    return f"{values['id']}, {values['reading']}: {values['verdict']}"


def _anchor(title: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
