"""The ledger says `formal` where a theorem of proofs/ says the same, and stops if one differs."""

import pytest

from dpbandits.core.claims import claims
from dpbandits.core.ledger import COLUMNS
from dpbandits.pipeline.formal import THEOREMS, formally, theorems

ROW = dict.fromkeys(COLUMNS, "") | {
    "id": "X-1",
    "reading": "printed",
    "verdict": "violated",
    "method": "certified",
    "evidence": "figures/x.csv",
}


def theorem(kind: str, reading: str = "printed") -> dict:
    named = {"claim": "X-1", "theorem": "X_1", "file": "proofs/X.v"}
    return named | {"reading": reading, "kind": kind}


def test_a_refuted_row_becomes_formal_and_names_its_proof():
    row = formally(ROW, [theorem("refutes")])
    assert row["method"] == "formal"
    assert row["evidence"] == "figures/x.csv;proofs/X.v"
    assert formally(row, [theorem("refutes")]) == row


@pytest.mark.parametrize("kind", ["repairs", "attains", "part", "instance"])
def test_other_theorems_are_evidence_and_no_more(kind):
    row = formally(ROW | {"repaired_method": "proof"}, [theorem(kind)])
    assert (row["method"], row["repaired_method"]) == ("certified", "proof")
    assert row["evidence"] == "figures/x.csv;proofs/X.v"


def test_other_readings_change_nothing():
    assert formally(ROW, [theorem("refutes", "another reading")]) == ROW


@pytest.mark.parametrize("verdict", ["holds", "consistent"])
def test_a_theorem_that_contradicts_its_row_is_an_error(verdict):
    with pytest.raises(ValueError, match="X_1 refutes it"):
        formally(ROW | {"verdict": verdict}, [theorem("refutes")])


def test_the_theorems_are_read_from_the_checkout(tmp_path):
    known = claims()
    assert theorems(), THEOREMS
    assert {entry["claim"] for entry in theorems()} <= set(known)
    assert theorems(tmp_path / "none.csv") == []
