"""Notebooks, run by papermill, and as pages that ask nothing of the network: no MathJax."""

import gc
import re
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.core.files import write_text
from dpbandits.core.plaintext import plain
from dpbandits.core.registry import papers

if TYPE_CHECKING:  # to run and to export a notebook needs no pandas
    from dpbandits.core.figures import Figure

_WORD = re.compile(r"[\w./-]+")
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 62rem; margin: auto; padding: 1rem;
  color: #1d2430; }}
img {{ max-width: 100%; height: auto; }}
pre {{ background: #f3f5f8; padding: .6rem; overflow-x: auto; font-size: .85rem; }}
.output_text pre, .output_stream pre {{ background: none; padding: 0; white-space: pre-wrap; }}
.prompt, .anchor-link {{ display: none; }}
{colours}
</style></head><body>
{body}
</body></html>
"""


def undrawn(figures: "Iterable[Figure]") -> str:
    """The first registered figure that its notebook does not draw, in one line; nothing if none."""
    for figure in figures:
        parts = ("notebooks", figure.paper, f"{figure.notebook}.ipynb")
        path = papers()[figure.paper].file(*parts)
        if not path.is_file():
            return f"figure {figure.name} ({figure.module}): there is no notebook {path}"
        name = figure.name.rsplit("/", 1)[1] if figure.folder == "claims" else figure.name
        if name not in words(path):
            show = "show_claims" if figure.folder == "claims" else "show"
            return f'figure {figure.name} is not drawn: {path} needs {show}("{name}", ...)'
    return ""


def words(notebook: Path) -> set[str]:
    """All words of a notebook: what it draws is among them."""
    return {*_WORD.findall(notebook.read_text(encoding="utf-8"))}


def run(notebook: str, executed: str, parameters: dict[str, str]) -> None:
    """By papermill, its cells in this process: a kernel would import everything again."""
    import papermill
    from papermill.engines import Engine, papermill_engines

    class Here(Engine):
        @classmethod
        def execute_managed_notebook(cls, nb_man, kernel_name, **_):
            nb_man.output_path = None  # else each cell would write the whole notebook twice
            _run_cells(nb_man)

    papermill_engines.register("here", Here)
    gc.set_threshold(100_000)  # figures are made of many small things: a tenth of drawing's time
    papermill.execute_notebook(
        notebook, executed, parameters, engine_name="here", progress_bar=False
    )


def _run_cells(manager) -> None:
    """One after the other, up to the first that fails."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config({"HistoryManager": {"enabled": False}})
    InteractiveShell.clear_instance()
    shell, count = InteractiveShell.instance(config=config, user_ns={}), 0
    manager.nb.metadata.language_info = {"name": "python", "pygments_lexer": "ipython3"}
    for index, cell in enumerate(manager.nb.cells):
        manager.cell_start(cell, index)
        if cell.cell_type == "code":
            cell.execution_count = count = count + 1
            cell.outputs = _Said(shell, cell.source, count).all()
            if any(output.output_type == "error" for output in cell.outputs):
                manager.cell_exception(cell, index)
                manager.cell_complete(cell, index)
                return
        manager.cell_complete(cell, index)


class _Said:
    """What a cell prints, shows, gives and fails of, in the order in which it does."""

    def __init__(self, shell, source: str, count: int) -> None:
        self.shell, self.source, self.count, self.outputs = shell, source, count, []
        shell.display_pub.publish = self.show
        shell.display_trap.hook = self.give
        shell._showtraceback = self.fail

    def all(self) -> list:
        with redirect_stdout(_Stream(self, "stdout")), redirect_stderr(_Stream(self, "stderr")):
            self.shell.run_cell(self.source)
        return self.outputs

    def add(self, kind: str, **content) -> None:
        from nbformat.v4 import new_output

        self.outputs.append(new_output(kind, **content))

    def show(self, data, metadata=None, **_) -> None:
        self.add("display_data", data=data, metadata=metadata or {})

    def give(self, result) -> None:
        hidden = self.shell.displayhook.semicolon_at_end_of_expression(self.source)
        if result is not None and not hidden:
            data, metadata = self.shell.display_formatter.format(result)
            about = {"metadata": metadata, "execution_count": self.count}
            self.add("execute_result", data=data, **about)

    def fail(self, kind, error, lines) -> None:
        self.add("error", ename=kind.__name__, evalue=str(error), traceback=[*lines])


class _Stream(StringIO):
    def __init__(self, said: _Said, name: str) -> None:
        super().__init__()
        self.said, self.name = said, name

    def write(self, text: str) -> int:
        last = self.said.outputs[-1] if self.said.outputs else {}
        if last.get("name") == self.name:
            last["text"] += text
        else:
            self.said.add("stream", name=self.name, text=text)
        return len(text)


def export(executed: str | Path, page: str | Path) -> None:
    """Write an executed notebook as one HTML file, formulas in its texts spelled out."""
    import nbformat
    from nbconvert import HTMLExporter
    from pygments.formatters import HtmlFormatter

    notebook = nbformat.read(executed, as_version=4)
    notebook.cells = [c for c in notebook.cells if not _is_plumbing(c)]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source)
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    write_text(_PAGE.format(title=Path(executed).stem, colours=colours, body=body), page)


def printed(executed: str | Path, word: str) -> str:
    """What the cells of an executed notebook printed with this word in it."""
    import nbformat

    notebook = nbformat.read(executed, as_version=4)
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    texts = [output.get("text", "") for output in outputs]
    return "\n".join(text for text in texts if word in text)


def _is_plumbing(cell) -> bool:
    """The parameters: folders, which tell a reader nothing (and may name a machine's places)."""
    return bool({"parameters", "injected-parameters"} & set(cell.metadata.get("tags", [])))
