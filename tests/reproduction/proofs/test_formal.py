"""The ledger quotes what Coq has proved, and the two must agree."""

import sys

import pytest
from scratch import ROOT

from dpbandits.reproduction.files import read_rows
from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.formal import (
    THEOREMS,
    VERDICT_OF_KIND,
    in_words,
    theorems,
    with_coq_result,
)
from dpbandits.reproduction.ledger.verdicts import COLUMNS

sys.path.insert(0, str(ROOT / "proofs"))
import build

ROW = dict.fromkeys(COLUMNS, "") | {
    "id": "X-1",
    "reading": "printed",
    "verdict": "violated",
    "method": "formal",
    "evidence": "figures/x.csv",
}


def theorem(kind: str, reading: str = "printed") -> dict:
    named = {"claim": "X-1", "theorem": "X_1", "file": "proofs/X.v", "says": "Paper: a. Here: b."}
    return named | {"reading": reading, "kind": kind}


def test_refuted_row_names_its_proof():
    row = with_coq_result(ROW, [theorem("refutes")])
    assert row["method"] == "formal"
    assert row["evidence"] == "figures/x.csv;proofs/X.v"
    assert row["scope"] == "Coq has refuted it (X_1): b"
    assert with_coq_result(row, [theorem("refutes")]) == row


@pytest.mark.parametrize("kind", ["repairs", "attains", "part", "instance"])
def test_other_kinds_of_theorems_do_not_change_the_method(kind):
    certified = ROW | {"method": "certified", "repaired_method": "proof"}
    row = with_coq_result(certified, [theorem(kind)])
    assert (row["method"], row["repaired_method"]) == ("certified", "proof")
    with pytest.raises(ValueError, match="its method is formal"):
        with_coq_result(certified, [theorem("refutes")])
    assert row["scope"].endswith("(X_1): b")
    assert row["evidence"] == "figures/x.csv;proofs/X.v"


@pytest.mark.parametrize("verdict", ["holds", "consistent"])
def test_theorem_that_contradicts_its_row_is_an_error(verdict):
    with pytest.raises(ValueError, match="X_1 refutes it"):
        with_coq_result(ROW | {"verdict": verdict}, [theorem("refutes")])


PUBLISHED = {(row["id"], row["reading"]): row for row in read_rows(ROOT / "figures/claims.csv")}


def test_table_of_theorems_has_the_comments_of_the_coq_files():
    assert (ROOT / THEOREMS).read_text() == build.theorems_csv(build.theorems())


@pytest.mark.parametrize("proved", theorems(ROOT / THEOREMS), ids=lambda proved: proved["theorem"])
def test_published_row_quotes_its_theorem(proved):
    row = PUBLISHED[proved["claim"], proved["reading"]]
    assert in_words(proved) in row["scope"]
    assert proved["file"] in row["evidence"]
    assert proved["kind"] not in VERDICT_OF_KIND or row["method"] == "formal"


def test_only_rows_with_a_theorem_name_coq_or_are_formal():
    kinds = {}
    for proved in theorems(ROOT / THEOREMS):
        kinds.setdefault((proved["claim"], proved["reading"]), set()).add(proved["kind"])
    for key, row in PUBLISHED.items():
        formal = bool(kinds.get(key, set()) & set(VERDICT_OF_KIND))
        assert ("Coq" in row["scope"]) == (key in kinds), key
        assert (row["method"] == "formal") == formal, key


def test_methods_in_claims_toml_are_those_of_the_published_rows():
    """The plots and their captions take the method from claims.toml."""
    methods = {(c.id, r.reading): r.method for c in claims().values() for r in c.readings}
    assert methods == {key: row["method"] for key, row in PUBLISHED.items()}
