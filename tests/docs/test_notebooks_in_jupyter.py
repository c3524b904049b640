"""Each committed notebook runs in Jupyter, in a checkout without results."""

import shutil

import nbformat
import pytest
from nbclient import NotebookClient
from scratch import ROOT

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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_notebook_draws_from_the_published_data_and_writes_nothing(
    path, fresh_checkout, monkeypatch
):
    """Each cell of a figure shows a picture and its text, another one a table."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    before = files_in(fresh_checkout)
    copy = fresh_checkout / path.relative_to(ROOT)
    notebook = nbformat.read(copy, as_version=4)
    client = NotebookClient(notebook, resources={"metadata": {"path": str(copy.parent)}})
    cells = [cell for cell in client.execute().cells if cell.cell_type == "code"]
    shown = [cell for cell in cells if "draw." in cell.source or "ledger[" in cell.source]
    assert shown
    for cell in shown:
        kinds = {kind for out in cell.outputs for kind in out.get("data", {})}
        assert "text/html" in kinds, cell.source
    assert files_in(fresh_checkout) == before


def files_in(folder) -> set:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}
