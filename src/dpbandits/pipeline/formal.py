"""What Coq has proved of the ledger's rows; `make proofs` lists it in proofs/theorems.csv."""

import re
from pathlib import Path

from dpbandits.core.files import read_rows

THEOREMS = Path("proofs/theorems.csv")
OURS = Path(__file__).resolve().parents[3] / THEOREMS  # of the checkout that this code belongs to
VERDICT_OF_KIND = {"holds": "holds", "refutes": "violated"}  # kind of theorem -> verdict of its row
WORDS = {  # kind of theorem -> how its words are brought in
    "holds": "Coq has proved it",
    "part": "Coq has proved a part",
    "refutes": "Coq has refuted it",
    "instance": "Coq has refuted it at another instance",
    "repairs": "Coq has proved in its place",
    "attains": "Coq has proved that this cannot be bettered",
}


def theorems(path: str | Path = "") -> list[dict[str, str]]:
    """Of that file, if it exists; left out: of the current folder, or else of our own checkout."""
    path = path or (THEOREMS if THEOREMS.exists() else OURS)
    return read_rows(path) if Path(path).exists() else []


def in_words(theorem: dict[str, str]) -> str:
    """What was proved, as its comment in proofs/ says it; of a refutation the instance alone."""
    said = re.split(r"\bHere:? ", theorem["says"])[-1].removeprefix("Paper: ").rstrip(".")
    return f"{WORDS[theorem['kind']]} ({theorem['theorem']}): {said}"


def with_coq_result(row: dict[str, str], proved: list[dict[str, str]]) -> dict[str, str]:
    """The ledger row, extended by what Coq has proved about it (scope) and the theorem's file.

    A theorem that proves or refutes the row carries it: claims.toml then says method `formal`. One
    of kind `instance` refutes the statement elsewhere: the row's own method carries it. A theorem
    that contradicts its row is an error, one of the two being wrong.
    """
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
