"""A notebook runs in Jupyter, in a checkout without results; papermill runs all of them."""

import shutil

import nbformat
from nbclient import NotebookClient
from scratch import ROOT

from dpbandits.reproduction.pipeline.figures import figures

FOLDERS = ("config", "figures", "src", "workflow")


def test_a_notebook_draws_from_the_published_data_and_writes_nothing(tmp_path, monkeypatch):
    """Each cell of a figure shows a picture and its text, another one a table."""
    shutil.copy(ROOT / "Snakefile", tmp_path)
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    for name in FOLDERS:
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    before = files_in(tmp_path)
    copy = tmp_path / "notebooks/us/figures.ipynb"
    notebook = nbformat.read(copy, as_version=4)
    client = NotebookClient(notebook, resources={"metadata": {"path": str(copy.parent)}})
    cells = [cell for cell in client.execute().cells if cell.cell_type == "code"]
    shown = [cell for cell in cells if cell.source.startswith("draw")]
    assert shown
    for cell in shown:
        kinds = {kind for out in cell.outputs for kind in out.get("data", {})}
        assert "text/html" in kinds, cell.source
    text = "".join(out.data["text/html"] for cell in shown for out in cell.outputs)
    assert text.count("<img") == sum(figure.paper == "us" for figure in figures().values())
    assert files_in(tmp_path) == before


def files_in(folder) -> set:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}
