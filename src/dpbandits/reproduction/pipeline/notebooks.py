"""Notebooks: run by papermill, and exported as pages that need no network (no MathJax)."""

import re
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from dpbandits.core.documents import read_json
from dpbandits.core.errors import InputError, report
from dpbandits.core.files import atomic, write_text
from dpbandits.core.registry import Place
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.plots.figures import Figure
from dpbandits.reproduction.plots.plaintext import plain

_PICTURE = re.compile(r"^!\[.*\]\(.*\)$", re.MULTILINE)
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


def source(paper: str, name: str) -> Path:
    """A notebook of a paper, in the checkout or in an outside package."""
    return papers()[paper].file("notebooks", paper, f"{name}.ipynb")


def undrawn_figure(figures: Iterable[Figure]) -> str:
    """An error message about the first figure that its notebook does not draw; "" if none."""
    for figure in figures:
        path = source(figure.paper, figure.notebook)
        if not path.is_file():
            return f"figure {figure.name} ({figure.module}): there is no notebook {path}"
        call = f'publish("{figure.paper}", "{figure.notebook}", tables, figures)'
        try:
            cells = ["".join(cell["source"]) for cell in read_json(path, 10**8)["cells"]]
        except (InputError, KeyError, TypeError) as error:
            return f"figure {figure.name} is not drawn: {path}: no notebook: {error}"
        if not any(call in cell for cell in cells):
            return f"figure {figure.name} is not drawn: {path} needs {call}"
    return ""


def left_out(figures: Iterable[Figure], all_papers: bool) -> set[str]:
    """Papers of other packages with a figure that its notebook does not draw, which are reported;
    such a figure of ours, or of a paper that was asked for, is an error."""
    keys = set()
    for figure in figures:
        if problem := undrawn_figure([figure]):
            if not all_papers or papers()[figure.paper].ours:
                raise InputError(problem)
            report(f"paper '{figure.paper}' is left out: {Place.of(figure.make)}: {problem}")
            keys.add(figure.paper)
    return keys


def run(notebook: str, executed: str, results: Path, paper: str) -> None:
    """Execute a notebook, with the folders of its tables and figures as parameters."""
    import papermill
    from traitlets.config import Config

    kind = "claims" if Path(notebook).stem == "theorems" else "tables"
    folders = {"tables": f"{results}/{kind}/{paper}", "figures": f"{results}/figures/{paper}"}
    with atomic(executed) as temporary, TemporaryDirectory() as sockets:
        own_socket = {"transport": "ipc", "ip": f"{sockets}/kernel"}  # ports could collide
        papermill.execute_notebook(
            notebook, str(temporary), folders, progress_bar=False,
            config=Config({"KernelManager": own_socket}),
        )  # fmt: skip


def export(executed: str | Path, page: str | Path) -> None:
    """Write an executed notebook as one HTML file, with formulas in its texts as Unicode."""
    import nbformat
    from nbconvert import HTMLExporter
    from pygments.formatters import HtmlFormatter

    notebook = nbformat.read(executed, as_version=4)
    parameters = {"parameters", "injected-parameters"}  # folders, perhaps with a machine's paths
    notebook.cells = [
        cell for cell in notebook.cells if not parameters & set(cell.metadata.get("tags", []))
    ]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":  # the published picture is in the report
            cell.source = plain(_PICTURE.sub("", cell.source))
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    write_text(_PAGE.format(title=Path(executed).stem, colours=colours, body=body), page)


def printed(executed: str | Path, words: str) -> str:
    """The outputs of an executed notebook in which some words were printed."""
    import nbformat

    notebook = nbformat.read(executed, as_version=4)
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    texts = [output.get("text", "") for output in outputs]
    return "\n".join(text for text in texts if words in text)
