"""Notebooks, and the files of figures."""

import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from papermill.exceptions import PapermillExecutionError
from scratch import notebook

from dpbandits.core.errors import InputError
from dpbandits.core.files import write_text
from dpbandits.reproduction.pipeline import figures, notebooks
from dpbandits.reproduction.plots.figures import Drawing, Figure

CELLS = [
    ("markdown", "# Regret\n\nA formula, $\\eta$.", []),
    ("code", "tables = None\nfigures = None", ["parameters"]),
    ("code", "import os\nprint('tables:', tables, 'figures:', figures)", []),
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
    notebooks.run(source, str(executed), Path("r"), "hu")
    assert notebooks.printed(executed, "beside:") == "beside: []\n"
    output = "tables: r/tables/hu figures: r/figures/hu"
    assert notebooks.printed(executed, "tables:") == f"{output}\n"
    assert notebooks.printed(executed, "nothing of the kind") == ""
    notebooks.export(executed, executed.with_suffix(".html"))
    page = executed.with_suffix(".html").read_text(encoding="utf-8")
    assert "<title>regret</title>" in page
    assert "A formula, η." in page
    assert output in page
    assert "None" not in page


def test_notebook_that_fails_leaves_nothing(tmp_path):
    executed = tmp_path / "notebooks/regret.ipynb"
    with pytest.raises(PapermillExecutionError, match="ZeroDivisionError"):
        notebooks.run(written(tmp_path, ("code", "1 / 0", [])), str(executed), Path("r"), "hu")
    assert not list(executed.parent.iterdir())


def test_figure_that_no_notebook_draws_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paper = SimpleNamespace(file=lambda *parts: Path(*parts))
    monkeypatch.setattr(notebooks, "papers", lambda: {"hu": paper})
    own = SimpleNamespace(name="hu/f", paper="hu", notebook="n", folder="tables", module="m")
    claim = SimpleNamespace(**own.__dict__ | {"name": "hu/claims/HU-T2", "folder": "claims"})
    path = Path("notebooks/hu/n.ipynb")
    assert notebooks.undrawn_figure([own]) == f"figure hu/f (m): there is no notebook {path}"
    write_text('show("hu/f2"); show_claims("HU-T22")', path)
    assert (
        notebooks.undrawn_figure([own])
        == f'figure hu/f is not drawn: {path} needs show("hu/f", ...)'
    )
    message = f'figure hu/claims/HU-T2 is not drawn: {path} needs show_claims("HU-T2", ...)'
    assert notebooks.undrawn_figure([claim]) == message
    write_text('show("hu/f"); show_claims("HU-T22 HU-T2")', path)
    assert notebooks.undrawn_figure([own, claim]) == ""


def test_figure_that_cannot_be_drawn_shows_its_error(tmp_path, monkeypatch, capsys):
    shown = []
    display = SimpleNamespace(display=shown.append, Image=lambda filename, alt: (filename, alt))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(figures, "get_figure", lambda name: SimpleNamespace(alt=f"of {name}"))

    def broken(*_):
        plt.figure()
        raise KeyError("table")

    monkeypatch.setattr(figures, "draw", broken)
    figures.show("hu/x", tmp_path, tmp_path)
    output = capsys.readouterr().out
    assert output.startswith("hu/x could not be drawn:\nTraceback")
    assert "KeyError" in output
    assert not plt.get_fignums()
    assert not shown
    drawn = []
    monkeypatch.setattr(
        figures, "draw", lambda name, *_: drawn.append(name) or SimpleNamespace(we_see="more")
    )
    figures.show_claims("HU-T2 HU-T4", tmp_path, tmp_path)
    assert drawn == ["hu/claims/HU-T2", "hu/claims/HU-T4"]
    pictures = [tmp_path / f"claims/{id}.png" for id in ("HU-T2", "HU-T4")]
    assert shown == [*zip(pictures, map("of {}".format, drawn), strict=True)]


def test_files_of_a_figure_are_always_the_same(tmp_path):
    for folder in ("a", "b"):
        figure, axes = plt.subplots(figsize=(1, 1))
        axes.plot([1, 2], [1, 3])
        data = pd.DataFrame({"x": [1, 2], "y": [1, 3]})
        figures.save(Drawing(figure, data, "more", dpi=70), tmp_path / folder / "f", pdf=True)
        plt.close(figure)
    names = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert names == ["f.csv", "f.pdf", "f.png", "f.txt"]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert b"CreationDate" not in (tmp_path / "a/f.pdf").read_bytes()
    assert (tmp_path / "a/f.txt").read_text() == "more\n"
    assert (tmp_path / "a/f.csv").read_text() == "x,y\n1,1\n2,3\n"
    from PIL import Image

    with Image.open(tmp_path / "a/f.png") as picture:
        assert picture.size == (70, 70)
        assert len(picture.getcolors()) > 8
    with pytest.raises(InputError, match="unknown 'hu/claims/HU-T22'; did you mean"):
        figures.get_figure("hu/claims/HU-T22")
    assert figures.get_figure("HU/Claims/hu-t2").name == "hu/claims/HU-T2"


def test_figure_reads_only_what_it_declares():
    def make(read):
        return Drawing(None, read("two"))

    entry = Figure("x/a", "figures", ("one",), "A", "", "", make, __name__, folder="claims")
    with pytest.raises(InputError, match="figure x/a reads table 'two'; name it in its `reads`"):
        figures.drawn(entry, lambda name: pd.DataFrame({"x": [1]}))
