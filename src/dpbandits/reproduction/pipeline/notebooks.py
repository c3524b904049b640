"""Notebooks: run by papermill, and exported as pages that need no network (no MathJax)."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dpbandits.core.errors import InputError
from dpbandits.core.files import atomic, write_text
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline.figures import folder_of
from dpbandits.reproduction.pipeline.plan import run_config
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


NOTEBOOK = "figures"  # of each paper


def source(paper: str) -> Path:
    """The notebook of a paper, in the checkout or in an outside package."""
    return papers()[paper].file("notebooks", paper, f"{NOTEBOOK}.ipynb")


def draw(paper: str, tables: list[str], files: list[str], executed: str, page: str) -> None:
    """Draw the figures of a paper by its notebook from tables into files, and export it."""
    own = folder_of([file for file in files if file.endswith(".png")])
    scale = run_config().get("scale")
    run(source(paper), executed, {"tables": tables, "figures": str(own / paper), "scale": scale})
    for file in files:
        if not Path(file).is_file():
            raise InputError(f"{source(paper)} draws no {file}; a last cell `draw()` draws all")
    export(executed, page)


def run(notebook: Path, executed: str, files: dict[str, Any]) -> None:
    """Execute a notebook, with the files of a run as its parameter `run`."""
    import papermill
    from traitlets.config import Config

    with atomic(executed) as temporary, TemporaryDirectory() as sockets:
        own_socket = {"transport": "ipc", "ip": f"{sockets}/kernel"}  # ports could collide
        papermill.execute_notebook(
            str(notebook), str(temporary), {"run": files}, progress_bar=False,
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
