"""What `refute`, `verify` and `new` print and write."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.cli import main, refute, skeletons, verifying
from dpbandits.core.files import read_rows
from dpbandits.reproduction.ledger.verdicts import COLUMNS

# --- refute, verify -------------------------------------------------------------------------------
ROW = dict.fromkeys(COLUMNS, "") | {
    "id": "HU-X", "reading": "printed", "verdict": "rejected", "method": "statistical",
    "severity": "experiment",
    "statement": "Theorem 1: eps <= 1", "measured": "2 eps", "repaired": "eps <= 3",
    "evidence": "figures/hu/x.csv;docs/page.md",
}  # fmt: skip
CERTIFICATE = {
    "claim": "HU-T8", "reading": "other one", "statement": "Theorem 8", "theorem": "HU-T8 exact",
    "given": {"epsilon": "1/2", "means": ["1", "2/3"]}, "data": [["0", ["1", "0"]]],
    "neighbour": [["1", ["1", "0"]]], "event": "arm 0", "fails": "p <= q", "step": "line 3",
    "enclosures": {"left": ["1.23456789012", "1.23456799012"], "right": ["1", "2"],
                   "delta": ["0.1", "0.1"]}, "python": ["left = 2", "right = 1"],
}  # fmt: skip


def test_a_row_on_samples_says_that_it_has_no_certificate(monkeypatch):
    monkeypatch.setattr(refute, "theorems", list)
    texts = {"row": refute.row_page(ROW), "certificate": refute.certificate_page(CERTIFICATE)}
    assert "left = 1.234568 is larger than right = 1." in texts["certificate"]  # 7 digits agree
    assert "Certificate: none, because the row rests on samples" in texts["row"]


def test_refuted_row_without_tables_or_with_a_theorem(monkeypatch):
    monkeypatch.setattr(refute, "theorems", list)
    text = refute.row_page(ROW | {"evidence": "docs/page.md", "method": "proof"})
    assert "Certificate: none; method proof" in text
    assert "In Python" not in text
    theorem = {"theorem": "t", "file": "f.v", "claim": "HU-X", "reading": "printed"}
    theorem |= {"kind": "refutes"}
    others = [theorem | {"kind": "proves"}, theorem | {"reading": "other"}]
    monkeypatch.setattr(refute, "theorems", lambda: [theorem, *others])
    assert refute.instead_of_certificate(ROW) == "checked by Coq: t in f.v"


@pytest.fixture
def ledger(monkeypatch, tmp_path):
    """Four refuted rows: of HU-T8 two with a certificate and one without, one of HU-C10b."""
    certified = ["printed", "some reading"]
    readings = [*(("HU-T8", name) for name in (*certified, "third")), ("HU-C10b", "printed")]
    rows = [ROW | {"id": id, "reading": reading} for id, reading in readings]
    holding = ROW | {"id": "HU-T8", "reading": "fourth", "verdict": "holds"}
    pd.DataFrame([*rows, holding]).to_csv(tmp_path / "claims.csv", index=False)
    found = read_rows(tmp_path / "claims.csv")

    def certificates(claim):
        names = certified if claim.id == "HU-T8" else ()
        return [CERTIFICATE | {"claim": claim.id, "reading": name} for name in names]

    monkeypatch.setattr(refute, "published_ledger", lambda: found)
    monkeypatch.setattr(refute, "theorems", list)
    monkeypatch.setattr(refute, "certificates", certificates)
    return rows


def test_refuted_rows_of_a_claim_with_certificates_as_far_as_there_are_some(ledger, capsys):
    assert main(["refute", "hu-t8", "--json"]) == 0
    output = capsys.readouterr().out
    rows = json.loads(output)
    assert output == json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
    assert [row["reading"] for row in rows] == ["printed", "some reading", "third"]
    assert [row.get("claim", row.get("id")) for row in rows] == ["HU-T8"] * 3


def test_refuted_claim_without_certificate_is_shown_as_its_row(ledger, capsys):
    assert main(["refute", "HU-C10b"]) == 0
    assert capsys.readouterr().out == refute.row_page(ledger[3]) + "\n"


@pytest.mark.parametrize("file", ["claims.csv", "none.csv"])
def test_refute_checks_a_claim_that_the_ledger_lacks(file, ledger, monkeypatch, tmp_path, capsys):
    """A claim may be newer than the published ledger, or there is no ledger."""
    monkeypatch.setattr(refute, "published_ledger", list)
    violated = ROW | {"id": "HU-C11"}
    holds = violated | {"verdict": "holds"}
    monkeypatch.setattr(refute, "rows_of", lambda claims: [violated, holds])
    assert main(["refute", "HU-C11"]) == 0
    assert capsys.readouterr().out == refute.row_page(violated) + "\n"
    monkeypatch.setattr(refute, "rows_of", lambda claims: [holds])
    assert main(["refute", "HU-C11"]) == 2
    assert "not refuted: see dpbandits check HU-C11" in capsys.readouterr().err


def test_verify_fails_if_a_table_differs(monkeypatch, capsys, tmp_path):
    archive = SimpleNamespace(
        zip=SimpleNamespace(namelist=lambda: ["a", "b"]),
        damaged=list,
        sample=lambda: ["hu/a"],
        computed_again=lambda tables, cores: dict.fromkeys(tables, f"on {cores}"),
        differing=lambda tables: [f"{tables} differ"],
    )
    monkeypatch.setattr(verifying, "Archive", lambda path: archive)
    path = tmp_path / "x.zip"
    path.write_bytes(b"")
    assert main(["verify", str(path), "--run-code", "--cores", "2"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 files: all as described in it"
    assert lines[2:] == ["{'hu/a': 'on 2'} differ"]


# --- new ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("words", [
    "algorithm My --paper hu", "claim HU", "study my-study --paper kl", "algorithm x --paper kl",
    "figure fig1 --paper hu", "claim hu-T8", "algorithm dp-se --paper hu", "study x", "paper hu",
])  # fmt: skip
def test_new_refuses_wrong_and_existing_names(words, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(skeletons, "write_text", lambda text, path: pytest.fail("written"))
    assert main(["new", *words.split()]) == 2
    assert capsys.readouterr().err.count("\n") == 1
