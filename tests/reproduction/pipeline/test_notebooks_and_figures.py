"""The files of figures, and what they say."""

import json
import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.reproduction.ledger.prose import EVERY, said_and_seen
from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.pipeline import figures
from dpbandits.reproduction.plots.beside import read_beside
from dpbandits.reproduction.plots.figures import Drawing

ROWS = [
    Row({"id": "HU-X", "reading": reading, "statement": f"Lemma 1: {reading}.", "verdict": verdict,
         "short": short, "method": "exact", "severity": severity, "cause": ""})
    for reading, verdict, short, severity in (
        ("printed", "violated", "It is 2 of 1.", "conclusion"), ("narrow", "holds", "", ""))
]  # fmt: skip


def test_what_a_figure_says_is_what_the_ledger_says():
    said, asked, seen = said_and_seen(("HU-X (narrow)",), ROWS)
    assert asked == ""
    assert said == "HU-X (narrow), Lemma 1: narrow."
    assert seen == "HU-X (narrow): holds. It holds, by exact computation, up to rounding."
    said, _, seen = said_and_seen(("HU-X",), ROWS)
    assert seen.startswith("HU-X: violated. It is 2 of 1. HU-X (narrow): holds.")
    own = [ROWS[1] | {"reading": "ours: wide", "statement": "Lemma 1: (not printed) wide"}]
    said, asked, _ = said_and_seen(("HU-X",), own)
    assert (said, asked) == ("", "HU-X (ours: wide): wide.")
    seen = said_and_seen(EVERY, ROWS)[-1]
    assert seen == "1 of 1 statements fail as printed: 1 conclusion."
    with pytest.raises(ValueError, match="HU-Y"):
        said_and_seen(("HU-Y",), ROWS)


def test_files_of_a_figure_are_always_the_same(tmp_path):
    beside = {"title": "A", "We see": "more"}
    for folder in ("a", "b"):
        figure, axes = plt.subplots(figsize=(1, 1))
        axes.plot([1, 2], [1, 3])
        data = pd.DataFrame({"x": [1, 2], "y": [1, 3]})
        figures.save(Drawing(figure, data), tmp_path / folder / "f", beside)
        plt.close(figure)
    names = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert names == ["f.csv", "f.pdf", "f.png", "f.txt"]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert b"CreationDate" not in (tmp_path / "a/f.pdf").read_bytes()
    assert read_beside(tmp_path / "a/f.txt") == beside
    assert (tmp_path / "a/f.csv").read_text() == "x,y\n1,1\n2,3\n"
    from PIL import Image

    with Image.open(tmp_path / "a/f.png") as picture:
        assert picture.size == (200, 200)
        assert len(picture.getcolors()) > 8


@pytest.mark.parametrize("paper", sorted({f.paper for f in figures.figures().values()}))
def test_no_figure_is_forgotten_by_its_notebook(paper):
    """Cells name files with figures; the last one draws what no other has drawn."""
    cells = json.loads((ROOT / f"notebooks/{paper}/figures.ipynb").read_text("utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    named = re.findall(r'draw\("(\w+)"\)', "\n".join(code))
    files = {f.module.rpartition(".")[2] for f in figures.figures().values() if f.paper == paper}
    assert {*named} <= files
    assert code[-1] == "draw()"
