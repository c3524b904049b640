"""Each tutorial runs, and prints what its committed outputs say."""

import nbformat
import pytest
from nbclient import NotebookClient
from scratch import ROOT

TUTORIALS = sorted((ROOT / "docs/tutorial").glob("*.ipynb"))


def printed(notebook) -> list[str]:
    """The text of each code cell's outputs."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        "".join(
            out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in c.outputs
        )
        for c in cells
    ]


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial_prints_its_committed_outputs(path, monkeypatch):
    """Samples have fixed seeds, and numbers are printed to two or three digits."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    notebook = nbformat.read(path, as_version=4)
    committed = printed(notebook)
    assert sum(map(bool, committed)) >= 2
    client = NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}})
    assert printed(client.execute()) == committed
