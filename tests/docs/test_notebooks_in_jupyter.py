"""Each committed notebook runs in Jupyter, in a checkout without results."""

import ast
import shutil

import nbformat
import pytest
from nbclient import NotebookClient
from scratch import ROOT

from dpbandits.reproduction.pipeline.figures import show

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
FOLDERS = ("config", "figures", "src", "workflow")


@pytest.fixture(scope="module")
def fresh_checkout(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy(ROOT / "Snakefile", folder)
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    for name in FOLDERS:
        (folder / name).symlink_to(ROOT / name)
    return folder


def executed(path) -> nbformat.NotebookNode:
    """The notebook with its outputs, run in its own folder as Jupyter does."""
    notebook = nbformat.read(path, as_version=4)
    return NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}}).execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_notebook_shows_all_committed_pictures(path, fresh_checkout, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    before = files_in(fresh_checkout)
    notebook = executed(fresh_checkout / path.relative_to(ROOT))
    shows = [cell for cell in notebook.cells if cell.source.startswith("show")]
    assert shows
    for cell in shows:
        pictures = [out for out in cell.outputs if "image/png" in out.get("data", {})]
        printed = "".join(out.get("text", "") for out in cell.outputs)
        folder = ROOT / "figures" / path.parent.name
        files = [folder / f"{name}.png" for name in names_of_figures(cell.source)]
        assert len(pictures) == sum(file.is_file() for file in files), printed
        assert printed.count("no committed picture") == len(files) - len(pictures)
        assert "Traceback" not in printed
    assert files_in(fresh_checkout) == before


def files_in(folder) -> set:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


def names_of_figures(source: str) -> list[str]:
    """The figures of a cell that calls show("hu/fig1", ...) or show_claims("HU-T2 HU-T8", ...)."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.func.id == "show":
            names.append(node.args[0].value.split("/", 1)[1])
        elif isinstance(node, ast.Call) and node.func.id == "show_claims":
            names += [f"claims/{id}" for id in node.args[0].value.split()]
    return names


def test_figure_is_drawn_from_existing_results(fresh_checkout, monkeypatch, capsys):
    """`show` in Jupyter writes no file."""
    tables = fresh_checkout / "results/tables/hu"
    shutil.copytree(ROOT / "tests/golden/hu", tables)
    monkeypatch.chdir(fresh_checkout / "notebooks/hu")
    before = set(fresh_checkout.rglob("*"))
    show("hu/lower_bound", None, None)
    after = set(fresh_checkout.rglob("*"))
    shutil.rmtree(fresh_checkout / "results")
    printed = capsys.readouterr().out
    assert "Drawn from results/tables/hu" in printed
    assert "Traceback" not in printed
    assert after == before
