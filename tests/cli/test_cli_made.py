"""What refute, test, verify, simulate and new tell and write, in small made-up cases: by hand or as
it was (looks.csv)."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from looks import same
from scratch import ROOT

from dpbandits.cli import contracts, listing, main, refute, skeletons
from dpbandits.core.claims import get_claim

# --- refute, test, verify, simulate ---------------------------------------------------------------
ROW = dict.fromkeys(("certificate", *refute.SHOWN), "") | {
    "id": "HU-X", "reading": "printed", "verdict": "rejected", "method": "statistical",
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


def test_a_refutation_is_told_as_it_was(monkeypatch):
    monkeypatch.setattr(refute, "theorems", list)
    said = {"row": refute.row_page(ROW), "certificate": refute.certificate_page(CERTIFICATE)}
    assert "left = 1.234568 is larger than right = 1." in said["certificate"]  # 7 digits are shared
    assert "Certificate: none: the row is statistical" in said["row"]
    assert "for path in ['figures/hu/x.csv']:" in said["row"]
    same("dpbandits refute", said)
    bare = refute.row_page(ROW | {"evidence": "docs/page.md", "method": "proof"})
    assert "Certificate: none; method proof" in bare
    assert "In Python" not in bare
    known = {"theorem": "t", "file": "f.v", "claim": "HU-X", "reading": "printed"}
    found = [known | {"kind": "refutes"}, known | {"kind": "proves"},
             known | {"kind": "refutes", "reading": "other"}]  # fmt: skip
    monkeypatch.setattr(refute, "theorems", lambda: found)
    assert refute.instead_of_certificate(ROW) == "checked by Coq: t in f.v"


@pytest.fixture
def refuted(monkeypatch, tmp_path):
    """Of HU-T8 two rows have a certificate, a third has none; HU-C10b has one row without."""
    made = {"HU-T8": ["printed", "some reading"]}
    stated = {"HU-T8": [*made["HU-T8"], "third"], "HU-C10b": ["printed"]}
    rows = [ROW | {"id": id, "reading": reading} for id, own in stated.items() for reading in own]
    rows.append(ROW | {"id": "HU-T8", "reading": "fourth", "verdict": "holds"})
    pd.DataFrame(rows).to_csv(tmp_path / "claims.csv", index=False)
    monkeypatch.setattr(refute, "LEDGER", tmp_path / "claims.csv")
    monkeypatch.setattr(refute, "theorems", list)
    monkeypatch.setattr(refute, "certificates", lambda claim: [
        CERTIFICATE | {"claim": claim.id, "reading": name} for name in made.get(claim.id, ())
    ])  # fmt: skip
    return rows


def test_refuted_rows_of_a_claim_each_with_its_certificate_if_there_is_one(refuted, capsys):
    assert main(["refute", "hu-t8", "--json"]) == 0
    said = capsys.readouterr().out
    found = json.loads(said)
    assert said == json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    assert [row["reading"] for row in found] == ["printed", "some reading", "third"]
    assert [row.get("claim", row.get("id")) for row in found] == ["HU-T8"] * 3


def test_a_refuted_claim_without_certificate_is_its_row(refuted, capsys):
    assert main(["refute", "HU-C10b"]) == 0
    assert capsys.readouterr().out == refute.row_page(refuted[3]) + "\n"


@pytest.mark.parametrize("there", [True, False])
def test_refute_of_a_claim_that_no_ledger_refutes_judges_it_now(
    there, refuted, monkeypatch, tmp_path, capsys
):
    """A claim may be newer than the published ledger, or there is no ledger here."""
    monkeypatch.setattr(refute, "LEDGER", tmp_path / ("claims.csv" if there else "none.csv"))
    now = ROW | {"id": "HU-C11"}
    monkeypatch.setattr(refute, "rows_of", lambda claims: [now, now | {"verdict": "holds"}])
    assert main(["refute", "HU-C11"]) == 0
    assert capsys.readouterr().out == refute.row_page(now) + "\n"
    monkeypatch.setattr(refute, "rows_of", lambda claims: [now | {"verdict": "holds"}])
    assert main(["refute", "HU-C11"]) == 2
    assert "not refuted: see dpbandits check HU-C11" in capsys.readouterr().err


def test_a_certificate_on_the_page_has_the_names_of_its_row():
    claim = get_claim("KL-S4.4-inexact")
    (made,) = refute.certificates(claim)
    assert (made["claim"], made["reading"]) == ("KL-S4.4-inexact", "printed")
    assert made["statement"] == claim.statement_of("printed")
    assert {"given", "python", "enclosures"} <= made.keys()


def test_the_contracts_are_held_to_what_a_paper_brings(monkeypatch):
    called = []
    monkeypatch.chdir(ROOT)
    process = SimpleNamespace(call=lambda words: called.append(words) or 3)
    monkeypatch.setattr(contracts, "subprocess", process)
    assert main(["test", "fl"]) == main(["test", "dpbandits.sparse"]) == 3
    assert called[0] == called[1]
    assert called[0][1:4] == ["-m", "pytest", "-q"]
    names = called[0][-1].split(" or ")
    assert {"fliphat", "sa-lasso"} <= set(names)
    assert not {"usca", "dp-se", "rnm"} & set(names)


def test_verify_looks_at_hashes_then_at_tables(monkeypatch, capsys):
    from dpbandits.cli import verifying

    class Archive:
        zip = SimpleNamespace(namelist=lambda: ["a", "b"])
        bad: tuple = ()
        other: tuple = ()

        def __init__(self, path):
            assert path == "x.zip"

        damaged = lambda self: [*self.bad]  # noqa: E731
        sample = lambda self: ["hu/a", "kl/b"]  # noqa: E731
        named = lambda self, names: [f"hu/{name}" for name in names]  # noqa: E731
        made_anew = lambda self, tables, cores: (*tables, cores)  # noqa: E731
        differing = lambda self, made: made_of.append(made) or [*self.other]  # noqa: E731

    made_of = []
    monkeypatch.setattr(verifying, "Archive", Archive)
    fine = "2 files: all as described\n"
    for words, out in {
        "": "made from scratch, equal: hu/a, kl/b\n", "--tables none": "",
        "--tables c,d --cores 2": "made from scratch, equal: hu/c, hu/d\n",
    }.items():  # fmt: skip
        assert main(["verify", "x.zip", *words.split()]) == 0
        assert capsys.readouterr().out == fine + out
    assert made_of == [("hu/a", "kl/b", 1), ("hu/c", "hu/d", 2)]
    Archive.other = ("hu/a differs",)
    assert main(["verify", "x.zip"]) == 1
    assert capsys.readouterr().out == fine + "hu/a differs\n"
    Archive.bad = ("b is damaged",)
    assert main(["verify", "x.zip"]) == 1
    assert capsys.readouterr().out == "b is damaged\n"
    assert [main(["verify", "x.zip", "--cores", cores]) for cores in ("0", "-1", "x")] == [2] * 3


# --- new ------------------------------------------------------------------------------------------
MADE = ("algorithm my-bandit --paper hu", "algorithm my-sparse --paper fl",
        "algorithm my-kernel --paper us", "study kl/my_study", "figure hu/my_figure",
        "figure my_picture --paper kl", "claim HU-MY1.x", "claim us-MY2", "paper my")  # fmt: skip


@pytest.mark.parametrize("words", MADE)
def test_what_new_writes_is_as_it_was(words, monkeypatch, tmp_path, capsys):
    """That it runs is seen in tests/plugins."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "config", "config")
    Path("src/dpbandits").mkdir(parents=True)
    notebook = Path("notebooks/hu/theorems.ipynb")
    notebook.parent.mkdir(parents=True)
    notebook.write_text(json.dumps({"cells": [1], "metadata": {}}))
    there = {path for path in tmp_path.rglob("*") if path.is_file()} - {notebook.resolve()}
    monkeypatch.setattr(skeletons, "package_folder", lambda name: Path(name.replace(".", "/")))
    monkeypatch.setattr(listing, "KINDS", dict.fromkeys(listing.KINDS, list))
    assert main(["new", *words.split()]) == 0
    said = {"said": capsys.readouterr().out}
    made = {p for p in tmp_path.rglob("*") if p.is_file()} - there
    made -= set() if "HU-MY1" in words else {notebook.resolve()}
    said |= {p.relative_to(tmp_path).as_posix().replace(":", ""): p.read_text() for p in made}
    same(f"dpbandits new {words}", dict(sorted(said.items())))
    if not words.startswith("claim"):  # of claims, the list knows: tests/plugins
        assert main(["new", *words.split()]) == 2
        assert "is there already" in capsys.readouterr().err or words.startswith("paper")


@pytest.mark.parametrize("words", [
    "algorithm My --paper hu", "claim HU", "study my-study --paper kl", "algorithm x --paper kl",
    "figure fig1 --paper hu", "claim hu-T8", "algorithm dp-se --paper hu", "study x", "paper hu",
])  # fmt: skip
def test_what_new_refuses(words, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(skeletons, "write_text", lambda text, path: pytest.fail("written"))
    assert main(["new", *words.split()]) == 2
    same(f"refused: new {words}", {"said": capsys.readouterr().err})
