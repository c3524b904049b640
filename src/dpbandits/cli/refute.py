"""`dpbandits refute ID`: a refutation as a page that a person can follow, with Python to paste."""

import json
from pathlib import Path
from typing import Any

from dpbandits.cli.checking import rows_of
from dpbandits.cli.listing import LEDGER, known
from dpbandits.cli.snippets import reading_of_tables, snippet
from dpbandits.core.claims import Claim, get_claim
from dpbandits.core.errors import InputError
from dpbandits.core.files import read_rows
from dpbandits.core.ledger import MEANING, by_cause, certificate_path
from dpbandits.pipeline.formal import theorems
from dpbandits.plots.plaintext import plain

PARTS = {
    "data": "Data set D",
    "neighbour": "Its neighbour D'",
    "event": "Event E",
    "first": "Whose law comes first",
}
REFUTED = ("violated", "rejected")
SHOWN = {  # column of the ledger -> what it is called on the page of a row without certificate
    "scope": "Looked at",
    "measured": "Found",
    "bound": "Where the statement allows",
    "confidence": "Confidence",
    "counterexample": "Counterexample",
    "proof_step": "The step of the proof that fails",
}


def refute(options) -> None:
    claim = get_claim(known("claims", options.claim)["name"])
    proofs = certificates(claim)
    named = {(proof["claim"], proof["reading"]) for proof in proofs}
    rows = [row for row in _refuted_rows() if row["id"] == claim.id]
    if not proofs and not rows:  # it may be newer than the ledger
        rows = [row for row in rows_of([claim.id]) if row["verdict"] in REFUTED]
    others = [row for row in rows if (row["id"], row["reading"]) not in named]
    if not proofs and not others:
        raise InputError(f"refute: '{claim.id}' is not refuted: see dpbandits check {claim.id}")
    if options.json:
        print(json.dumps(proofs + others, indent=1, ensure_ascii=False))
        return
    print("\n\n".join([*map(page, proofs), *map(row_page, others)]))


def certificates(claim: Claim) -> list[dict[str, Any]]:
    """Of the printed reading, and of others."""
    return [
        {"claim": claim.id, "reading": reading, "statement": claim.statement_of(reading)} | made
        for reading, made in claim.certificates().items()
    ]


def _graded(row: dict[str, Any]) -> str:
    """What a reader of the paper loses, from where it is inherited, by how much, what is true."""
    loses = row.get("severity") and f"{row['severity']}: {MEANING[row['severity']]}"
    parts = {
        "What is lost": loses,
        "Inherited from": _first_cause(row),
        "By how much (true over printed)": row.get("supremum"),
        "Corrected statement": row.get("repaired"),
    }
    return "".join(f"\n\n{what}:\n  {plain(said)}" for what, said in parts.items() if said)


def _first_cause(row: dict[str, str]) -> str:
    """The id of the row whose error this one inherits, if it is another."""
    for id, rows in by_cause(_refuted_rows()).items():
        if row in rows and id != row["id"]:
            return id
    return ""


def _published(id: str, reading: str) -> dict[str, str]:
    rows = [row for row in _refuted_rows() if (row["id"], row["reading"]) == (id, reading)]
    return rows[0] if rows else {}


def _refuted_rows() -> list[dict[str, str]]:
    """Of the published ledger; none outside of a checkout."""
    rows = read_rows(LEDGER) if LEDGER.is_file() else []
    return [row for row in rows if row["verdict"] in REFUTED]


def stands_on(row: dict[str, str]) -> str:
    """What there is in place of a certificate."""
    proved = [
        f"{theorem['theorem']} in {theorem['file']}"
        for theorem in theorems()
        if (theorem["claim"], theorem["reading"], theorem["kind"])
        == (row["id"], row["reading"], "refutes")
    ]
    if proved:
        return f"checked by Coq: {', '.join(proved)}"
    if row["method"] == "statistical":
        return "none: the row is statistical, and no exact computation can stand in for a sample"
    return f"none; method {row['method']}"


def row_page(row: dict[str, str]) -> str:
    """A refuted row without a certificate: what was seen, where, and how to look at it."""
    parts = "".join(f"\n\n{what}:\n  {row[name]}" for name, what in SHOWN.items() if row[name])
    evidence = [path for path in row["evidence"].split(";") if path]
    tables = [path for path in evidence if Path(path).suffix == ".csv"]
    code = f"\n\nIn Python, to paste:\n\n{reading_of_tables(tables)}" if tables else ""
    return (
        plain(
            f"{row['id']}, {row['reading']}: {row['verdict']}\n{row['statement']}\n\n"
            f"Certificate: {stands_on(row)}{parts}{_graded(row)}\n\nEvidence: {', '.join(evidence)}"
        )
        + code
    )


def page(certificate: dict[str, Any]) -> str:
    given = "".join(f"\n  {name} = {_shown(x)}" for name, x in certificate["given"].items())
    parts = "".join(
        f"\n\n{title}:{_rows(certificate[name])}"
        for name, title in PARTS.items()
        if name in certificate
    )
    sides = certificate["enclosures"]
    found = "".join(f"\n  {name} = {_value(x)}" for name, x in sides.items())
    path = certificate_path(certificate["claim"], certificate["reading"])
    return f"""{certificate["claim"]}, {certificate["reading"]}: refuted
{plain(certificate["statement"])}

Parameters, exact:{given}{parts}

What would have to hold:
  {certificate["fails"]}
and what is there, to all digits shown:{found}
So left = {_value(sides["left"])} is larger than right = {_value(sides["right"])}.

The step of the proof that fails:
  {plain(certificate["step"])}{_graded(_published(certificate["claim"], certificate["reading"]))}

In Python, to paste (floating point; the proof: python3 -I certificates/check.py {path}):

{snippet(certificate)}"""


def _rows(value) -> str:
    rows = value if isinstance(value, list) else [value]
    return "".join(f"\n  {_shown(row)}" for row in rows)


def _shown(x) -> str:
    return f"[{', '.join(map(_shown, x))}]" if isinstance(x, list) else str(x)


def _value(enclosure: list[str]) -> str:
    """The digits that both ends share."""
    low, high = (float(end) for end in enclosure)
    return next(
        (f"{low:.{n}g}" for n in range(12, 3, -1) if f"{low:.{n}g}" == f"{high:.{n}g}"), f"{low:g}"
    )
