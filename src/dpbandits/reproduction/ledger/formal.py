"""What Coq has proved about rows of the ledger: proofs/theorems.csv, from `make proofs`."""

import re
from pathlib import Path

from dpbandits.reproduction.files import project_file, read_rows
from dpbandits.reproduction.ledger.rows import Row

THEOREMS = Path("proofs/theorems.csv")
VERDICT_OF_KIND = {"holds": "holds", "refutes": "violated"}  # kind of theorem -> verdict of its row
WORDS = {  # kind of theorem -> beginning of its sentence
    "holds": "Coq has proved it",
    "part": "Coq has proved a part",
    "refutes": "Coq has refuted it",
    "instance": "Coq has refuted it at another instance",
    "repairs": "Coq has proved in its place",
    "attains": "Coq has proved that this cannot be bettered",
}


def theorems(path: str | Path = "") -> list[dict[str, str]]:
    """The theorems in a file, if it exists; by default the published one."""
    path = path or project_file(THEOREMS)
    return read_rows(path) if Path(path).exists() else []


def in_words(theorem: dict[str, str]) -> str:
    """What was proved, as the comment in proofs/ says; of a refutation only the instance."""
    text = re.split(r"\bHere:? ", theorem["says"])[-1].removeprefix("Paper: ").rstrip(".")
    return f"{WORDS[theorem['kind']]} ({theorem['theorem']}): {text}"


def with_coq_result(row: Row, proved: list[dict[str, str]]) -> Row:
    """The row with what Coq has proved about it added to its scope, and the file to its evidence.
    If a theorem proves or refutes the row, claims.toml must state the method `formal`. A theorem of
    kind `instance` refutes the statement elsewhere; the row then has another method. A theorem that
    contradicts its row is an error, as one of the two must be wrong."""
    for theorem in proved:
        if (theorem["claim"], theorem["reading"]) != (row["id"], row["reading"]):
            continue
        kind, verdict, words = theorem["kind"], row["verdict"], in_words(theorem)
        if VERDICT_OF_KIND.get(kind, verdict) != verdict:
            raise ValueError(f"{row['id']}: {verdict}, but {theorem['theorem']} {kind} it")
        evidence = [*filter(None, row["evidence"].split(";")), theorem["file"]]
        row = row | {"evidence": ";".join(dict.fromkeys(evidence))}
        if words not in row["scope"]:
            row = row | {"scope": f"{row['scope']}. {words}".removeprefix(". ")}
        if kind in VERDICT_OF_KIND and row["method"] != "formal":
            raise ValueError(f"{row['id']}: {theorem['theorem']} {kind} it: its method is formal")
    return row
