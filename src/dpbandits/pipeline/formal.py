"""What Coq has proved of the ledger's rows; `make proofs` lists it in proofs/theorems.csv."""

import re
from pathlib import Path

from dpbandits.core.files import read_rows

THEOREMS = Path("proofs/theorems.csv")
SAYS = {"holds": "holds", "refutes": "violated"}  # kind of theorem -> verdict of its row
WORDS = {  # kind of theorem -> how its words are brought in
    "holds": "Coq has proved it",
    "part": "Coq has proved a part",
    "refutes": "Coq has refuted it",
    "instance": "Coq has refuted it at another instance",
    "repairs": "Coq has proved in its place",
    "attains": "Coq has proved that this cannot be bettered",
}


def theorems(path: str | Path = THEOREMS) -> list[dict[str, str]]:
    """None outside a checkout: an installed package has no proofs/."""
    return read_rows(path) if Path(path).exists() else []


def in_words(theorem: dict[str, str]) -> str:
    """What was proved, as its comment in proofs/ says it; of a refutation the instance alone."""
    said = re.split(r"\bHere:? ", theorem["says"])[-1].removeprefix("Paper: ").rstrip(".")
    return f"{WORDS[theorem['kind']]} ({theorem['theorem']}): {said}"


def formally(row: dict[str, str], proved: list[dict[str, str]]) -> dict[str, str]:
    """The row, with what Coq has proved of it, and method `formal` where that carries its verdict.

    A theorem of kind `instance` refutes its statement elsewhere: the row keeps its own method.
    A theorem that contradicts its row is an error: one of the two is wrong. Whether one covers all
    of a repaired statement is for the row's author to say: here its words stand under scope.
    """
    for theorem in proved:
        if (theorem["claim"], theorem["reading"]) != (row["id"], row["reading"]):
            continue
        kind, verdict, words = theorem["kind"], row["verdict"], in_words(theorem)
        if SAYS.get(kind, verdict) != verdict:
            raise ValueError(f"{row['id']}: {verdict}, but {theorem['theorem']} {kind} it")
        evidence = [*filter(None, row["evidence"].split(";")), theorem["file"]]
        row = row | {"evidence": ";".join(dict.fromkeys(evidence))}
        if words not in row["scope"]:
            row = row | {"scope": f"{row['scope']}. {words}".removeprefix(". ")}
        if kind in SAYS:
            row = row | {"method": "formal"}
    return row
