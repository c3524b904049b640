"""What the cells of a paper's notebook call.

    draw = notebook("hu", run)
    draw("regret")  # the figures of hu/figures/regret.py
    draw()  # those that no cell has drawn yet

A run gives the notebook its files (`run`), and takes the figures. In Jupyter `run` is None: tables
are those of the last run in this checkout, or what is published is shown; nothing is written.
"""

import base64
import html
import inspect
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dpbandits.core.files import read_table
from dpbandits.reproduction.pipeline import figures
from dpbandits.reproduction.plots.figures import Figure, reader
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.style import use_style

FAILS = ("conclusion", "constant", "condition")


class Shown:
    """HTML in a notebook."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        return self.text


class Draw:
    """The figures of a paper, each with its function's docstring and the text beside it."""

    def __init__(self, paper: str, run: dict[str, Any] | None) -> None:
        use_style()
        self.paper, self.run = paper, run
        self.left = {f.file: f for f in figures.figures().values() if f.paper == paper}
        folder = _checkout() / "results/tables" / paper
        self.tables, self.scale = str(folder) if folder.is_dir() else None, None
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


notebook = Draw


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
