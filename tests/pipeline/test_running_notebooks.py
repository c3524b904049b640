"""Cells that run in papermill's own process leave what a kernel's would."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from papermill.exceptions import PapermillExecutionError

from dpbandits.pipeline.notebooks import run

FIRST = """import sys
from IPython.display import display, HTML
print("one", tables); print("two")
display(HTML("<b>three</b>"), metadata={"alt": "bold"})
print("four", file=sys.stderr)
print("five")"""


def made(tmp_path, *sources: str):
    cells = [new_code_cell("tables = None", metadata={"tags": ["parameters"]})]
    cells += [new_markdown_cell("words"), *map(new_code_cell, sources)]
    notebook = new_notebook(cells=cells)
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "P", "language": "python"}
    nbformat.write(notebook, tmp_path / "in.ipynb")
    return str(tmp_path / "in.ipynb"), str(tmp_path / "out.ipynb"), {"tables": "here"}


def cells_of(path: str):
    """Those with code, without the parameters: their counts, and what they put out."""
    return [c for c in nbformat.read(path, 4).cells if c.cell_type == "code"][2:]


def test_what_is_printed_shown_and_given_stands_in_its_order(tmp_path):
    files = made(tmp_path, FIRST, "hidden = 6; hidden;", "hidden + 1")
    run(*files)
    first, silent, given = cells_of(files[1])
    said = [o.get("text") or o.data.get("text/html") for o in first.outputs]
    assert said == ["one here\ntwo\n", "<b>three</b>", "four\n", "five\n"]
    assert [o.get("name") for o in first.outputs] == ["stdout", None, "stderr", "stdout"]
    assert first.outputs[1].output_type == "display_data"
    assert first.outputs[1].metadata == {"alt": "bold"}
    assert not silent.outputs
    assert given.outputs[0].output_type == "execute_result"
    assert given.outputs[0].data == {"text/plain": "7"}
    assert (first.execution_count, given.execution_count) == (3, 5)
    assert given.outputs[0].execution_count == 5
    assert given.metadata.papermill.status == "completed"


@pytest.mark.parametrize(("wrong", "name"), [("1 / 0", "ZeroDivisionError"), ("(", "SyntaxError")])
def test_the_first_error_ends_it_and_is_shown(tmp_path, wrong, name):
    files = made(tmp_path, wrong, "print('after')")
    with pytest.raises(PapermillExecutionError, match=name):
        run(*files)
    cells = [c for c in nbformat.read(files[1], 4).cells if c.source in (wrong, "print('after')")]
    assert [o.ename for o in cells[0].outputs] == [name]
    assert any(name in line for line in cells[0].outputs[0].traceback)
    assert cells[0].metadata.papermill.status == "failed"
    assert not cells[1].outputs


def test_one_notebook_knows_nothing_of_another(tmp_path):
    run(*made(tmp_path, "own = 1"))
    with pytest.raises(PapermillExecutionError, match="NameError"):
        run(*made(tmp_path, "own"))
