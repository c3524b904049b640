"""Notebooks, and the files of figures."""

from dataclasses import replace
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
from dpbandits.reproduction.plots.beside import Beside, read_beside
from dpbandits.reproduction.plots.figures import Drawing, Figure, Plot
from dpbandits.reproduction.plots.style import panels

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
    paper = SimpleNamespace(file=lambda *parts: Path(*parts), ours=False)
    monkeypatch.setattr(notebooks, "papers", lambda: {"hu": paper})
    own = SimpleNamespace(name="hu/f", paper="hu", notebook="n", module="m", make=notebook)
    path, call = Path("notebooks/hu/n.ipynb"), 'publish("hu", "n", tables, figures)'
    assert notebooks.undrawn_figure([own]) == f"figure hu/f (m): there is no notebook {path}"
    write_text(notebook([("code", 'publish("hu", "m", tables, figures)', [])]), path)
    assert notebooks.undrawn_figure([own]) == f"figure hu/f is not drawn: {path} needs {call}"
    assert notebooks.left_out([own], all_papers=True) == {"hu"}  # of another package
    with pytest.raises(InputError, match="figure hu/f is not drawn"):
        notebooks.left_out([own], all_papers=False)
    for broken in ("[]", "{", '{"cells": [3]}'):
        write_text(broken, path)
        assert "no notebook: " in notebooks.undrawn_figure([own])
    write_text(notebook([("code", f"data = {call}", [])]), path)
    assert notebooks.undrawn_figure([own]) == ""


def test_figure_that_cannot_be_drawn_shows_its_error_and_the_others_are_drawn(
    tmp_path, monkeypatch, capsys
):
    def named(name):
        return SimpleNamespace(name=name, paper="hu", notebook=name[-1])

    known = {name: named(name) for name in ("hu/x", "hu/bad-x", "hu/y")}
    monkeypatch.setattr(figures, "FIGURES", SimpleNamespace(all=lambda: known))

    def draw(name, tables, out):
        if "bad" in name:
            plt.figure()
            raise KeyError("table")
        write_text("a,b\n1,2\n", out / f"{name[3:]}.csv")

    monkeypatch.setattr(figures, "draw", draw)
    data = figures.publish("hu", "x", tmp_path, tmp_path)
    output = capsys.readouterr().out
    assert output.startswith("hu/bad-x could not be drawn:\nTraceback")
    assert "KeyError" in output
    assert not plt.get_fignums()
    assert data("x").to_dict("list") == {"a": [1], "b": [2]}
    assert not (tmp_path / "y.csv").exists()  # of another notebook


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


def test_figure_reads_only_what_it_declares():
    def make(read):
        return Drawing(None, read("two"))

    entry = Figure("x/a", "figures", ("one",), "A", "", "", make, __name__)
    with pytest.raises(InputError, match="figure x/a reads table 'two'; name it in its `reads`"):
        figures.drawn(entry, lambda name: pd.DataFrame({"x": [1]}))


def test_figure_of_another_width_or_without_a_column_of_its_plot_is_refused():
    def make(read, width="full"):
        return Drawing(panels(1, 1, width=width)[0], read("one"))

    entry = Figure("x/a", "figures", ("one",), "A", "", "", make, __name__, width="half")
    one = pd.DataFrame({"x": [1]})
    with pytest.raises(InputError, match=r"1156 pixels wide; allowed: .*half"):
        figures.drawn(entry, lambda name: one)
    entry = replace(entry, width="full", plots=(Plot("x", "mean"),))
    with pytest.raises(InputError, match="its plot names mean, which is no column"):
        figures.drawn(entry, lambda name: one)
    plt.close("all")


def test_text_beside_a_picture_is_read_back(tmp_path):
    text = Beside("A", "it says", "we see", "", [["ε", "n"], ["1", ""]])
    write_text(text.as_text(), tmp_path / "a.txt")
    assert read_beside(tmp_path / "a.txt") == text
