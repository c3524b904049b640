"""`dpbandits refute ID`: a refutation, step by step."""

import json
from typing import Any

from dpbandits.core.errors import InputError
from dpbandits.reproduction.commands.checking import rows_of
from dpbandits.reproduction.ledger.claims import Claim, get_claim
from dpbandits.reproduction.ledger.formal import theorems
from dpbandits.reproduction.ledger.prose import details, in_three_sentences
from dpbandits.reproduction.ledger.rows import Row, by_cause, read_ledger
from dpbandits.reproduction.ledger.verdicts import MEANING, certificate_path
from dpbandits.reproduction.plots.plaintext import plain

PARTS = {
    "data": "Data set D",
    "neighbour": "Its neighbour D'",
    "event": "Event E",
    "first": "Whose probability comes first",
}
SHOWN = ("scope", "measured", "bound", "confidence", "counterexample", "proof_step")


def refute(id: str, as_json: bool) -> None:
    claim = get_claim(id)
    proofs = [*claim.certificates().values()]
    certified = {(proof["claim"], proof["reading"]) for proof in proofs}
    rows = [row for row in _refuted_rows() if row["id"] == claim.id]
    if not proofs and not rows:  # the claim may be newer than the ledger
        rows = [row for row in rows_of([claim]) if row.fails]
    others = [row for row in rows if (row["id"], row["reading"]) not in certified]
    if not proofs and not others:
        raise InputError(f"refute: '{claim.id}' is not refuted: see dpbandits check {claim.id}")
    if as_json:
        print(json.dumps(proofs + others, indent=1, ensure_ascii=False))
        return
    pages = [certificate_page(claim, proof) for proof in proofs]
    print("\n\n".join([*pages, *map(row_page, others)]))


def section(title: str, *lines: str) -> str:
    """A title and lines below it; nothing without lines."""
    return "\n\n" + "\n  ".join([f"{title}:", *lines]) if lines else ""


def _consequences(row: Row) -> str:
    """The severity of a failure, the condition under which the statement holds, and the row whose
    error it inherits."""
    severity = row.get("severity")
    causes = [id for id, rows in by_cause(_refuted_rows()).items() if row in rows]
    parts = {
        "Severity": [f"{severity}: {MEANING[severity]}"] if severity else [],
        "It holds under this condition": _conditions(row) if severity == "condition" else [],
        "The same error as in": [id for id in causes if id != row["id"]],
    }
    return "".join(section(title, *map(plain, texts)) for title, texts in parts.items())


def _conditions(row: Row) -> list[str]:
    """The readings of the same statement that hold; else where the corrected one stands."""
    found = [
        f"{own.said} (reading `{own['reading']}`)"
        for own in read_ledger()
        if (own["id"], own["verdict"]) == (row["id"], "holds") and not own.ours
    ]
    return found or ['that of the corrected statement, see "True instead"']


def _refuted_rows() -> list[Row]:
    """The refuted rows of the published ledger."""
    return [row for row in read_ledger() if row.fails]


def instead_of_certificate(row: Row) -> str:
    """What a refuted row without a certificate rests on."""
    refuting = row["id"], row["reading"], "refutes"
    proved = [
        f"{theorem['theorem']} in {theorem['file']}"
        for theorem in theorems()
        if (theorem["claim"], theorem["reading"], theorem["kind"]) == refuting
    ]
    if proved:
        return f"checked by Coq: {', '.join(proved)}"
    if row["method"] == "statistical":
        return "none, because the row rests on samples (method: statistical)"
    return f"none; method {row['method']}"


def row_page(row: Row) -> str:
    """A refuted row without a certificate: what was found, and the tables that show it."""
    parts = "".join(section(*part) for part in details(row, SHOWN))
    evidence = ", ".join(filter(None, row["evidence"].split(";")))
    text = f"{in_three_sentences(row)}\n\nCertificate: {instead_of_certificate(row)}{parts}"
    text += f"{_consequences(row)}\n\nEvidence: {evidence}"
    return f"{row['id']}, {row['reading']}: {row['verdict']}\n{plain(text)}"


def certificate_page(claim: Claim, certificate: dict[str, Any]) -> str:
    """A refutation in full: data, inequality, values, the step that fails, and Python."""
    of_row, of_event = claim.explained
    notes = {"data": of_row, "neighbour": of_row, "event": of_event}
    given = (f"{name} = {_text(x)}" for name, x in certificate["given"].items())
    parts = section("Parameters, exact", *given)
    for name, title in PARTS.items():
        if name in certificate:
            rows = certificate[name] if name in ("data", "neighbour") else [certificate[name]]
            note = f", {notes[name]}" if notes.get(name) else ""
            parts += section(title + note, *map(_text, rows))
    sides = {name: _digits(x) for name, x in certificate["enclosures"].items()}
    values = "".join(f"\n  {name} = {x}" for name, x in sides.items())
    own = (claim.id, certificate["reading"])
    row = next((row for row in _refuted_rows() if (row["id"], row["reading"]) == own), {})
    start = in_three_sentences(row) if row else certificate["statement"]
    return f"""{claim.id}, {certificate["reading"]}: refuted
{plain(start)}{parts}

The statement implies:
  {certificate["fails"]}
Computed, with all digits shown correct:{values}
So left = {sides["left"]} is larger than right = {sides["right"]}.\
{section("The step of the proof that fails", plain(certificate["step"]))}{_consequences(row)}

{_check(certificate, certificate_path(*own))}"""


def _check(certificate: dict[str, Any], path: str) -> str:
    """The Python of a certificate, if it is an inequality between numbers; how to check it."""
    call = f"python3 -I certificates/check.py {path}"
    if "python" not in certificate:
        return f"To compute both probabilities from the data sets:\n\n{call}"
    names = certificate["given"] | {k: certificate[k] for k in PARTS if k in certificate}
    numbers = "\n".join(f"{name} = {_python(x)}" for name, x in names.items())
    lines = ["from math import *", numbers, *certificate["python"], 'print(left, ">", right)']
    return f"In Python, to paste (rounded; with error bounds: {call}):\n\n" + "\n".join(lines)


def _python(x) -> str:
    """A given value as Python: "22/7" becomes 22/7, another text a string."""
    if isinstance(x, list):
        return f"[{', '.join(map(_python, x))}]"
    return str(x) if isinstance(x, int) or x.replace("/", "").lstrip("-").isdigit() else repr(x)


def _text(x) -> str:
    return f"[{', '.join(map(_text, x))}]" if isinstance(x, list) else str(x)


def _digits(enclosure: list[str]) -> str:
    """As many digits, at most 12, as both ends of an interval share."""
    low, high = (float(end) for end in enclosure)
    for digits in range(12, 3, -1):
        if f"{low:.{digits}g}" == f"{high:.{digits}g}":
            return f"{low:.{digits}g}"
    return f"{low:g}"
