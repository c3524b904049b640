"""Notebooks, and the files of figures."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from papermill.exceptions import PapermillExecutionError
from scratch import notebook

from dpbandits.core.files import write_text
from dpbandits.reproduction.pipeline import figures, notebooks
from dpbandits.reproduction.plots.beside import Beside, read_beside, said_and_seen
from dpbandits.reproduction.plots.figures import EVERY, Drawing

CELLS = [
    ("markdown", "# Regret\n\nA formula, $\\eta$.", []),
    ("code", "results = None", ["parameters"]),
    ("code", "import os\nprint('results:', results)", []),
]


def written(tmp_path, *cells) -> str:
    path = tmp_path / "source/regret.ipynb"
    write_text(notebook([*CELLS, *cells]), path)
    return str(path)


def test_executed_and_exported_notebook(tmp_path, monkeypatch):
    """The page has formulas as text and no parameters; no socket is in the working folder."""
    executed = tmp_path / "notebooks/regret.ipynb"
    source = written(tmp_path, ("code", "print('beside:', os.listdir())", []))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    notebooks.run(source, str(executed), Path("r"))
    notebooks.export(executed, executed.with_suffix(".html"))
    page = executed.with_suffix(".html").read_text(encoding="utf-8")
    assert "<title>regret</title>" in page
    assert "A formula, η." in page
    assert "beside: []" in page
    assert "results: r" in page
    assert "None" not in page


def test_notebook_that_fails_leaves_nothing(tmp_path):
    executed = tmp_path / "notebooks/regret.ipynb"
    with pytest.raises(PapermillExecutionError, match="ZeroDivisionError"):
        notebooks.run(written(tmp_path, ("code", "1 / 0", [])), str(executed), Path("r"))
    assert not list(executed.parent.iterdir())


ROWS = [
    {"id": "HU-X", "reading": reading, "statement": f"Lemma 1: {reading}.", "verdict": verdict,
     "short": short, "method": "exact", "severity": severity, "cause": ""}
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
    for folder in ("a", "b"):
        figure, axes = plt.subplots(figsize=(1, 1))
        axes.plot([1, 2], [1, 3])
        data = pd.DataFrame({"x": [1, 2], "y": [1, 3]})
        figures.save(Drawing(figure, data), tmp_path / folder / "f", Beside("A", we_see="more"))
        plt.close(figure)
    names = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert names == ["f.csv", "f.pdf", "f.png", "f.txt"]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert b"CreationDate" not in (tmp_path / "a/f.pdf").read_bytes()
    assert read_beside(tmp_path / "a/f.txt") == Beside("A", we_see="more")
    assert (tmp_path / "a/f.csv").read_text() == "x,y\n1,1\n2,3\n"
    from PIL import Image

    with Image.open(tmp_path / "a/f.png") as picture:
        assert picture.size == (200, 200)
        assert len(picture.getcolors()) > 8
