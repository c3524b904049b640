"""`dpbandits refute`: a page for every certificate; its Python computes the same two sides."""

import json

import pytest
from scratch import ROOT

from dpbandits.cli import main
from dpbandits.reproduction.commands.refute import certificate_page
from dpbandits.reproduction.files import read_rows
from dpbandits.reproduction.ledger.verdicts import certificate_path
from dpbandits.reproduction.plots.plaintext import plain

FILES = sorted((ROOT / "certificates").glob("*.json"))


NUMERIC = [file for file in FILES if '"python"' in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", NUMERIC, ids=lambda path: path.stem)
def test_the_python_of_a_page_shows_the_violation(file, capsys):
    """In floating point, both sides agree with the enclosures."""
    certificate = json.loads(file.read_text(encoding="utf-8"))
    names = {}
    exec(
        certificate_page(certificate).partition("In Python, to paste")[2].partition("\n")[2], names
    )
    assert names["left"] > names["right"]
    sides = {name: float(certificate["enclosures"][name][0]) for name in ("left", "right")}
    assert names["left"] == pytest.approx(sides["left"], rel=1e-6, abs=1e-12)
    assert names["right"] == pytest.approx(sides["right"], rel=1e-6, abs=1e-12)
    assert capsys.readouterr().out.strip() == f"{names['left']} > {names['right']}"


LEDGER = read_rows(ROOT / "figures/claims.csv")
REJECTED = [r for r in LEDGER if r["verdict"] == "rejected"]


@pytest.mark.parametrize("row", REJECTED, ids=lambda r: f"{r['id']}-{r['reading']}")
def test_page_of_a_statistical_row_names_its_evidence(row, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    if (ROOT / certificate_path(row["id"], row["reading"])).is_file():
        return
    assert main(["refute", row["id"]]) == 0
    page = capsys.readouterr().out
    assert f"{row['id']}, {row['reading']}: rejected" in page
    assert "statistical" in page
    assert any(path in page for path in row["evidence"].split(";"))


CONDITIONS = [r for r in LEDGER if r["severity"] == "condition"]


@pytest.mark.parametrize("row", CONDITIONS, ids=lambda r: f"{r['id']}-{r['reading']}")
def test_a_page_says_under_which_condition_the_statement_holds(row, capsys, monkeypatch):
    """The readings that hold; if there is none, what is true instead."""
    monkeypatch.chdir(ROOT)
    assert main(["refute", row["id"]]) == 0
    pages = capsys.readouterr().out.split("What to do: ")[1:]
    pages = [page for page in pages if "Severity:\n  condition: " in page]
    held = [r for r in LEDGER if (r["id"], r["verdict"]) == (row["id"], "holds")]
    held = [r["statement"].split(": ", 1)[1] for r in held if "ours" not in r["reading"]]
    assert pages
    for page in pages:
        said = page.split("It holds under this condition:\n")[1].split("\n\n")[0]
        for text in held:
            assert plain(text) in said
        assert held or (plain(row["repaired"]) in page and "What to do" in said)
