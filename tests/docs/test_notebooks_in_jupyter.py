"""Each committed notebook runs in Jupyter as it is, from a checkout without results."""

import ast
import shutil

import nbformat
import pytest
from nbclient import NotebookClient
from scratch import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
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
def test_notebook_shows_every_committed_picture(path, fresh_checkout, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    before = {p for p in fresh_checkout.rglob("*") if "__pycache__" not in p.parts}
    notebook = executed(fresh_checkout / path.relative_to(ROOT))
    shows = [cell for cell in notebook.cells if cell.source.startswith("show")]
    assert shows
    for cell in shows:
        pictures = [out for out in cell.outputs if "image/png" in out.get("data", {})]
        printed = "".join(out.get("text", "") for out in cell.outputs)
        files = [ROOT / "figures" / path.parent.name / f"{name}.png" for name in shown(cell.source)]
        assert len(pictures) == sum(file.is_file() for file in files), printed
        assert printed.count("no committed picture") == len(files) - len(pictures)
        assert "Traceback" not in printed
    assert {p for p in fresh_checkout.rglob("*") if "__pycache__" not in p.parts} == before


def shown(source: str) -> list[str]:
    """The figures that a cell shows, as files: by show("hu/fig1", ...), show_claims("A B", ...)."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and node.func.id == "show":
            names.append(node.args[0].value.split("/", 1)[1])
        elif isinstance(node, ast.Call) and node.func.id == "show_claims":
            names += [f"claims/{id}" for id in node.args[0].value.split()]
    return names


def test_figure_is_drawn_from_results_where_there_are_some(fresh_checkout, monkeypatch, capsys):
    """Opened in Jupyter in a checkout with results; nothing is written into it."""
    from dpbandits.pipeline.figures import show

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
