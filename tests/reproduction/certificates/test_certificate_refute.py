"""`dpbandits refute`: the Python on the page of a certificate computes the same two sides."""

import json

import pytest
from scratch import ROOT

from dpbandits.reproduction.commands.refute import certificate_page
from dpbandits.reproduction.ledger.claims import get_claim

FILES = sorted((ROOT / "certificates").glob("*.json"))


NUMERIC = [file for file in FILES if '"python"' in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", NUMERIC, ids=lambda path: path.stem)
def test_the_python_of_a_page_shows_the_violation(file, capsys):
    """In floating point, both sides agree with the enclosures."""
    certificate = json.loads(file.read_text(encoding="utf-8"))
    names = {}
    page = certificate_page(get_claim(certificate["claim"]), certificate)
    exec(page.partition("In Python, to paste")[2].partition("\n")[2], names)
    assert names["left"] > names["right"]
    sides = {name: float(certificate["enclosures"][name][0]) for name in ("left", "right")}
    assert names["left"] == pytest.approx(sides["left"], rel=1e-6, abs=1e-12)
    assert names["right"] == pytest.approx(sides["right"], rel=1e-6, abs=1e-12)
    assert capsys.readouterr().out.strip() == f"{names['left']} > {names['right']}"
