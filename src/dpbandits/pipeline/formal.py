"""Rows of the ledger that Coq has checked; `make proofs` lists them in proofs/theorems.csv."""

from pathlib import Path

from dpbandits.core.files import read_rows

THEOREMS = Path("proofs/theorems.csv")
OURS = Path(__file__).resolve().parents[3] / THEOREMS  # of the checkout that this code belongs to
SAYS = {"holds": "holds", "refutes": "violated"}  # kind of theorem -> verdict of its row


def theorems(path: str | Path = "") -> list[dict[str, str]]:
    """Of that file, if it exists; left out: of the current folder, or else of our own checkout."""
    path = path or (THEOREMS if THEOREMS.exists() else OURS)
    return read_rows(path) if Path(path).exists() else []


def formally(row: dict[str, str], proved: list[dict[str, str]]) -> dict[str, str]:
    """The row, with method `formal` where a theorem says the same of its statement.

    A theorem of kind `instance` refutes its statement elsewhere: it is evidence, no more.
    A theorem that contradicts its row is an error: one of the two is wrong. Whether one covers all
    of a repaired statement is for the row's author to say: here it is only named as evidence.
    """
    for theorem in proved:
        if (theorem["claim"], theorem["reading"]) != (row["id"], row["reading"]):
            continue
        kind, verdict = theorem["kind"], row["verdict"]
        if SAYS.get(kind, verdict) != verdict:
            raise ValueError(f"{row['id']}: {verdict}, but {theorem['theorem']} {kind} it")
        evidence = [*filter(None, row["evidence"].split(";")), theorem["file"]]
        row = row | {"evidence": ";".join(dict.fromkeys(evidence))}
        if kind in SAYS and row["method"] != "formal":
            row = row | {"method": "formal", "scope": f"{row['scope']}; the same in Coq"}
    return row
