"""`dpbandits refute`: a page for every certificate; its Python computes the same two sides."""

import json

import pytest
from scratch import ROOT

from dpbandits.cli import main
from dpbandits.cli.refute import certificate_page
from dpbandits.core.files import read_rows
from dpbandits.reproduction.ledger.verdicts import certificate_path
from dpbandits.reproduction.plots.plaintext import plain

ROWS = {(r["id"], r["reading"]) for r in read_rows(ROOT / "figures/claims.csv")}
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


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_page_has_all_parts_of_the_certificate(file, capsys):
    certificate = json.loads(file.read_text(encoding="utf-8"))
    assert main(["refute", certificate["claim"]]) == 0
    page = capsys.readouterr().out
    assert certificate["fails"] in page
    assert plain(certificate["step"]) in page
    for name in certificate["given"]:
        assert f"{name} = " in page
    assert "The step of the proof that fails" in page
    assert f"python3 -I certificates/check.py certificates/{file.name}" in page
    published = (certificate["claim"], certificate["reading"]) in ROWS
    assert ("What happens: It is false" in page) >= published
    for name in ("Data set D", "Event E"):  # what a row says stands above the rows
        assert (f"{name}, " in page) == ("data" in certificate)


REJECTED = [r for r in read_rows(ROOT / "figures/claims.csv") if r["verdict"] == "rejected"]


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
