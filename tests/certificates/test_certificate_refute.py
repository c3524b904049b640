"""`dpbandits refute`: a page for every certificate, whose Python computes the same two sides."""

import csv
import json

import pytest
from scratch import ROOT

from dpbandits.cli import main
from dpbandits.cli.snippets import reading_of_tables, snippet
from dpbandits.core.files import read_rows
from dpbandits.reproduction.ledger.verdicts import certificate_path
from dpbandits.reproduction.plots.plaintext import plain

FILES = sorted((ROOT / "certificates").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_the_snippet_shows_the_violation(file, capsys):
    """In floating point, both sides agree with the enclosures."""
    certificate = json.loads(file.read_text(encoding="utf-8"))
    names = {}
    exec(snippet(certificate), names)
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
    assert snippet(certificate) in page
    assert f"certificates/{file.name}" in page


REJECTED = [r for r in read_rows(ROOT / "figures/claims.csv") if r["verdict"] == "rejected"]


@pytest.mark.parametrize("row", REJECTED, ids=lambda r: f"{r['id']}-{r['reading']}")
def test_page_of_a_statistical_row_reads_its_tables(row, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    if (ROOT / certificate_path(row["id"], row["reading"])).is_file():
        return
    assert main(["refute", row["id"]]) == 0
    page = capsys.readouterr().out
    assert f"{row['id']}, {row['reading']}: rejected" in page
    assert "statistical" in page
    tables = [path for path in row["evidence"].split(";") if path.endswith(".csv")]
    assert tables
    code = reading_of_tables(tables)
    assert code in page
    exec(code, {})
    with open(ROOT / tables[0], newline="") as file:
        assert str(next(csv.DictReader(file))) in capsys.readouterr().out


def test_snippet_has_the_lower_end_of_a_bound_that_is_not_given():
    certificate = {"given": {"epsilon": "1/2"}, "theorem": "T", "python": ["left, right = 2, 1"]}
    certificate["enclosures"] = {"epsilon": ["1", "2"], "delta": ["3", "4"], "left": ["5", "6"]}
    lines = snippet(certificate).splitlines()
    assert "delta = 3  # printed" in lines
    assert [line for line in lines if line.startswith(("epsilon", "left ="))] == ["epsilon = 1/2"]
