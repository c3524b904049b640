"""`dpbandits refute`: a page for every certificate; its snippet computes the same two sides."""

import json
from pathlib import Path

import pytest

from dpbandits.cli import main
from dpbandits.cli.snippets import snippet

FILES = sorted((Path(__file__).resolve().parents[2] / "certificates").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_the_snippet_shows_the_violation(file, capsys):
    """Floating point agrees with the enclosures; US-T4.1 shows some T only, so it may be lower."""
    certificate = json.loads(file.read_text(encoding="utf-8"))
    names = {}
    exec(snippet(certificate), names)
    assert names["left"] > names["right"]
    sides = {name: float(certificate["enclosures"][name][0]) for name in ("left", "right")}
    assert names["left"] == pytest.approx(sides["left"], rel=1e-6, abs=1e-12)
    if file.stem != "US-T4.1":
        assert names["right"] == pytest.approx(sides["right"], rel=1e-6, abs=1e-12)
    else:
        assert names["right"] <= sides["right"]
    assert capsys.readouterr().out.strip() == f"{names['left']} > {names['right']}"


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_the_page_says_everything(file, capsys):
    certificate = json.loads(file.read_text(encoding="utf-8"))
    assert main(["refute", certificate["claim"]]) == 0
    shown = capsys.readouterr().out
    for part in ("fails", "step"):
        assert certificate[part] in shown
    for name in certificate["given"]:
        assert f"{name} = " in shown
    assert "The step of the proof that fails" in shown
    assert snippet(certificate) in shown
    assert f"certificates/{file.name}" in shown


def test_as_json(capsys):
    assert main(["refute", "KL-T1-approx", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["claim"] == "KL-T1-approx"
    assert found["given"]["N0"] == "400"


@pytest.mark.parametrize("claim", ["KL-T1-pure", "KL-none"])
def test_what_is_not_refuted(claim, capsys):
    assert main(["refute", claim]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert claim in shown.err
    assert "KL-T1" in shown.err
    assert len(shown.err.splitlines()) == 1
