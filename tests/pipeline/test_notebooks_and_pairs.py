"""Notebooks, the files of figures, and two runs compared seed by seed."""

import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from papermill.exceptions import PapermillExecutionError
from scratch import notebook

from dpbandits.core.errors import InputError
from dpbandits.core.figures import Drawing, Figure
from dpbandits.core.files import write_csv, write_text
from dpbandits.pipeline import figures, notebooks
from dpbandits.pipeline.compare_seeds import at_the_end, in_words, paired, per_seed

# Notebooks and figures


CELLS = [
    ("markdown", "# Regret\n\nA formula, $\\eta$.", []),
    ("code", "tables = None\nfigures = None", ["parameters"]),
    ("code", "import os\nprint('tables:', tables, 'figures:', figures)", []),
]


def written(tmp_path, *cells) -> str:
    path = tmp_path / "source/regret.ipynb"
    write_text(notebook([*CELLS, *cells]), path)
    return str(path)


def test_notebook_is_executed_with_its_folders_and_exported(tmp_path, monkeypatch):
    """The page holds no parameters, and formulas as text. No socket lies where others run."""
    executed = tmp_path / "notebooks/regret.ipynb"
    source = written(tmp_path, ("code", "print('beside:', os.listdir())", []))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    notebooks.run(source, str(executed), Path("r"), "hu")
    assert notebooks.printed(executed, "beside:") == "beside: []\n"
    said = "tables: r/tables/hu figures: r/figures/hu"
    assert notebooks.printed(executed, "tables:") == f"{said}\n"
    assert notebooks.printed(executed, "nothing of the kind") == ""
    notebooks.export(executed, executed.with_suffix(".html"))
    page = executed.with_suffix(".html").read_text(encoding="utf-8")
    assert "<title>regret</title>" in page
    assert "A formula, η." in page
    assert said in page
    assert "None" not in page


def test_notebook_that_fails_leaves_nothing(tmp_path):
    executed = tmp_path / "notebooks/regret.ipynb"
    with pytest.raises(PapermillExecutionError, match="ZeroDivisionError"):
        notebooks.run(written(tmp_path, ("code", "1 / 0", [])), str(executed), Path("r"), "hu")
    assert not list(executed.parent.iterdir())


def test_a_figure_that_no_notebook_draws_is_named(tmp_path, monkeypatch):
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
    said = f'figure hu/claims/HU-T2 is not drawn: {path} needs show_claims("HU-T2", ...)'
    assert notebooks.undrawn_figure([claim]) == said
    write_text('show("hu/f"); show_claims("HU-T22 HU-T2")', path)
    assert notebooks.undrawn_figure([own, claim]) == ""


def test_what_cannot_be_drawn_says_why_and_leaves_nothing_open(tmp_path, monkeypatch, capsys):
    shown = []
    display = SimpleNamespace(display=shown.append, Image=lambda filename, alt: (filename, alt))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(figures, "get_figure", lambda name: SimpleNamespace(alt=f"of {name}"))

    def broken(*_):
        plt.figure()
        raise KeyError("table")

    monkeypatch.setattr(figures, "draw", broken)
    figures.show("hu/x", tmp_path, tmp_path)
    said = capsys.readouterr().out
    assert said.startswith("hu/x could not be drawn:\nTraceback")
    assert "KeyError" in said
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


def test_a_figure_is_written_four_times_and_always_the_same(tmp_path):
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


# Two runs, seed by seed


def frame(values, **more):
    return pd.DataFrame({"seed": range(len(values)), "regret": values}).assign(**more)


def test_two_runs_are_paired_by_hand():
    """Gaps 1, 1.5, 0.5: mean 1, variance 1/4, standard error sqrt(1/12) = 0.288675; times the
    97.5% quantile 4.302653 of Student's t with 2 degrees of freedom: 1.242070. Seeds and cells of
    one run alone do not count; equal runs have p = 1 and a band of nothing."""
    same = frame([3.0, 4.0], algorithm="b", t=9)
    old = pd.concat([frame([1.0, 5.0, 9.0, 7.0], algorithm="a", t=9), same])
    gone = frame([1.0], algorithm="c", t=9)
    new = pd.concat([frame([2.0, 6.5, 9.5], algorithm="a", t=9), same, gone])
    table = paired(old, new)
    assert list(table["algorithm"]) == ["a", "b"]
    first, second = table.to_dict("records")
    assert (first["seeds"], first["old"], first["new"]) == (3, 5.0, 6.0)
    assert (first["low"], first["high"]) == pytest.approx((1 - 1.24207, 1 + 1.24207), rel=1e-5)
    assert (second["difference"], second["low"], second["high"], second["p"]) == (0, 0, 0, 1)
    line, equal = in_words(table)
    assert line == "a 9: 5 -> 6, +1 [-0.2421, +2.242] over 3 seeds, p = 0.074: no difference seen"
    assert equal == "b 9: 3.5 -> 3.5, +0 [+0, +0] over 2 seeds, the same in every seed"
    one = paired(frame([1.0], t=2.5), frame([2.0], t=2.5)).iloc[0]
    assert np.isnan(one["sem"])
    certain = paired(frame([1.0, 5.0, 8.0], t=0.5), frame([2.0, 6.0, 9.001], t=0.5))
    assert in_words(certain)[0].endswith("p = 1.1e-07: differs")
    assert in_words(certain)[0].startswith("0.5: ")
    # with 1 degree of freedom P(|T| > 3) = 1 - 2 arctan(3)/pi and 97.5% lie below 12.7062
    two = paired(frame([1.0, 5.0], t=1), frame([2.0, 7.0], t=1)).iloc[0]
    assert two["p"] == pytest.approx(1 - 2 * np.arctan(3) / np.pi)
    assert two["high"] == pytest.approx(1.5 + 12.7062 / 2, rel=1e-5)
    # every seed moves by the same; seeds move to and fro; a tie with the level
    ends = [frame([1.0, 5.0], t=1)] * 2, [frame([2.0, 6.0], t=1), frame([2.0, 4.0], t=1)]
    said = [in_words(paired(o, n))[0] for o, n in zip(*ends, strict=True)]
    assert said[0].endswith("p = 0: differs")
    assert said[1].endswith("p = 1: no difference seen")
    tie = pd.DataFrame([certain.iloc[0].to_dict() | {"p": 0.01}])
    assert in_words(tie)[0].endswith("no difference seen")
    # columns of one run alone tell nothing apart; missing labels and the order of cells stay
    old = pd.concat([frame([1.0, 2.0], a="z", x=np.nan), frame([1.0, 2.0], a="b", x=1.0)])
    cells = paired(old.assign(extra=1), old.assign(t=3))
    assert cells["a"].tolist() == ["z", "b"]
    assert cells["seeds"].tolist() == [2, 2]
    # p times the number of cells: 0.004 is certain for two cells, not for three
    rows = [certain.iloc[0].to_dict() | {"p": 0.004}] * 3
    said = [in_words(pd.DataFrame(rows[:n]))[0].endswith("differs") for n in (2, 3)]
    assert said == [True, False]


def test_the_end_of_each_cell():
    table = pd.DataFrame(
        {
            "algorithm": ["a", "a", "b", "b"],
            "metric": ["regret", "regret", "regret", "pulls"],
            "x": np.nan,
            "t": [5, 9, 4, 9],
            "seeds": 2,
        }
    )
    assert at_the_end(table).index.tolist() == [1, 2]
    assert at_the_end(table.drop(columns="metric")).index.tolist() == [1, 3]


def test_values_per_seed_of_a_file_or_of_results(tmp_path):
    write_csv(frame([1.0], t=3), tmp_path / "x.csv")
    assert per_seed(tmp_path / "x.csv")["regret"].tolist() == [1.0]
    write_csv(pd.DataFrame({"mean": [1]}), tmp_path / "y.csv")
    assert per_seed(tmp_path / "y.csv") is None
    assert per_seed(tmp_path) is None
    for name, value in (("hu/fig1/a/0", 1.0), ("hu/fig2/a/0", 2.0)):
        path = tmp_path / f"simulations/{name}.parquet"
        path.parent.mkdir(parents=True)
        frame([value], t=3).to_parquet(path)
    (tmp_path / "studies").mkdir()
    frame([9.0], t=3).to_parquet(tmp_path / "studies/0.parquet")
    found = per_seed(tmp_path)
    assert found.index.tolist() == [0, 1]
    assert found["experiment"].tolist() == ["hu/fig1", "hu/fig2"]
    assert found["regret"].tolist() == [1.0, 2.0]
