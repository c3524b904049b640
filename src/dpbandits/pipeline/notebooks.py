"""Notebooks, run by papermill, and as pages that ask nothing of the network: no MathJax."""

import re
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from dpbandits.core.figures import Figure
from dpbandits.core.files import atomic, write_text
from dpbandits.core.registry import papers
from dpbandits.plots.plaintext import plain

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


def source(paper: str, name: str) -> Path:
    """A notebook of a paper, in the checkout of the run or in an outside package."""
    return papers()[paper].file("notebooks", paper, f"{name}.ipynb")


def undrawn_figure(figures: Iterable[Figure]) -> str:
    """An error message about the first figure that its notebook does not draw; "" if none."""
    for figure in figures:
        path = source(figure.paper, figure.notebook)
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


def run(notebook: str, executed: str, results: Path, paper: str) -> None:
    """Execute a notebook by papermill, with the folders of its tables and figures as parameters."""
    import papermill
    from traitlets.config import Config

    folders = {"tables": f"{results}/tables/{paper}", "figures": f"{results}/figures/{paper}"}
    if Path(notebook).stem.startswith("theorems"):
        folders["tables"] = f"{results}/claims/{paper}"
    with atomic(executed) as temporary, TemporaryDirectory() as sockets:
        apart = {"transport": "ipc", "ip": f"{sockets}/kernel"}  # kernels never meet
        papermill.execute_notebook(
            notebook, str(temporary), folders, progress_bar=False,
            config=Config({"KernelManager": apart}),
        )  # fmt: skip


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
