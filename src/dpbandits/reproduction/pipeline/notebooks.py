"""Notebooks: what their cells call, how a run executes them, and pages of them.

    draw = Notebook("hu", run)
    draw("regret")  # the figures of hu/figures/regret.py
    draw()  # those that no cell has drawn yet

A run gives the notebook its files (`run`), and takes the figures. In Jupyter `run` is None: tables
are those of the last run in this checkout, or what is published is shown; nothing is written.
"""

import base64
import html
import inspect
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dpbandits.core.errors import InputError
from dpbandits.core.files import atomic, read_table, write_text
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline import figures
from dpbandits.reproduction.pipeline.plan import run_config
from dpbandits.reproduction.plots.figures import Figure, reader
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.style import use_style

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


# What the cells call
FAILS = ("conclusion", "constant", "condition")


class Shown:
    """HTML in a notebook."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        return self.text


class Notebook:
    """The figures of a paper, each with its function's docstring and the text beside it."""

    def __init__(self, paper: str, run: dict[str, Any] | None) -> None:
        use_style()
        self.paper, self.run = paper, run
        self.left = {f.file: f for f in figures.figures().values() if f.paper == paper}
        folder = _checkout() / "results/tables" / paper
        self.tables, self.scale = str(folder) if folder.is_dir() else None, "paper"
        if run:
            files = {Path(path).stem: path for path in run["tables"]}
            self.tables, self.scale = lambda name: read_table(files[name]), run["scale"]

    def __call__(self, *modules: str) -> Shown:
        """The figures of some files in the paper's figures/; without a name all that are left."""
        names = [
            name for name, entry in self.left.items()
            if not modules or entry.module.rpartition(".")[2] in modules
        ]  # fmt: skip
        return Shown("".join(self[name].text for name in names))

    def __getitem__(self, name: str) -> Shown:
        """One figure: draw["fig1"], draw["claims/HU-T8"]."""
        entry = figures.get_figure(f"{self.paper}/{name}")
        self.left.pop(entry.file, None)
        if self.tables is None:
            return _shown(entry, _checkout() / "figures" / self.paper)
        with TemporaryDirectory() as nowhere:
            out = Path(self.run["figures"] if self.run else nowhere)
            figures.draw(entry.name, self.tables, out, self.scale)
            return _shown(entry, out)

    def ledger(self) -> Shown:
        """How many rows have which verdict, and the statements that fail."""
        import pandas as pd

        if self.tables:
            rows = reader(self.tables)("verdicts")
        else:
            rows = read_table(_checkout() / "figures/claims.csv")
            rows = rows[rows["paper"] == self.paper.upper()]
        fails = rows[rows["severity"].isin(FAILS)][["id", "reading", "supremum", "repaired"]]
        counts = pd.crosstab(rows["verdict"], rows["method"])
        with pd.option_context("display.max_colwidth", 300):
            return Shown(counts.to_html() + fails.to_html(index=False, na_rep=""))


def _shown(entry: Figure, folder: Path) -> Shown:
    picture = base64.b64encode((folder / f"{entry.file}.png").read_bytes()).decode()
    said = (folder / f"{entry.file}.txt").read_text(encoding="utf-8").split("\n\n")
    said = [*filter(None, [plain(inspect.getdoc(entry.make) or "")]), *said]
    texts = "".join(f"<p>{html.escape(part)}</p>" for part in said)
    return Shown(f'<img src="data:image/png;base64,{picture}">{texts}')


def _checkout() -> Path:
    """The current folder or the nearest one above it that has a Snakefile."""
    current = Path.cwd()
    folders = (current, *current.parents)
    return next((folder for folder in folders if (folder / "Snakefile").is_file()), current)


# How a run executes them, and their pages


def source(paper: str) -> Path:
    """The notebook of a paper, in the checkout or in an outside package."""
    return papers()[paper].file("notebooks", paper, f"{NOTEBOOK}.ipynb")


def draw(paper: str, tables: list[str], files: list[str], executed: str, page: str) -> None:
    """Draw the figures of a paper by its notebook from tables into files, and export it."""
    own = figures.folder_of([file for file in files if file.endswith(".png")])
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
