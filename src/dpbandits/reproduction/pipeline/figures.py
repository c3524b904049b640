"""Draw registered figures, and write their files: picture, data, and the text beside the picture.

A notebook calls `publish`, which writes the files of all its figures and returns a function that
reads their data.
"""

import os
import traceback
from pathlib import Path

import numpy as np
import pandas as pd

from dpbandits.core.errors import InputError
from dpbandits.core.files import atomic, read_table, write_csv, write_text
from dpbandits.core.registry import Place
from dpbandits.reproduction.pipeline.settings import scale_of, settings_of
from dpbandits.reproduction.plots.beside import Beside
from dpbandits.reproduction.plots.curves import tidy
from dpbandits.reproduction.plots.figures import FIGURES, Drawing, Figure, Tables, reader
from dpbandits.reproduction.plots.style import PIXELS, WIDTHS, use_style
from dpbandits.reproduction.plots.words import readable
from dpbandits.reproduction.studies import only_declared


def figures() -> dict[str, Figure]:
    """All figures by name."""
    return FIGURES.all()


def get_figure(name: str) -> Figure:
    """The figure of a name, in any case."""
    return FIGURES.get(name)


def draw(
    name: str, tables: Tables | str | Path, out: str | Path, scale: str | None = None
) -> Drawing:
    """Draw a figure and write its files to the folder `out`: PNG, PDF, CSV and text.

    name: "paper/figure". tables: the folder of the paper's tables, or a function from a table's
    name to its DataFrame. scale: of the tables, for the settings; by default that of their folder.
    """
    scale = scale or (None if callable(tables) else scale_of(tables))
    entry, read = get_figure(name), reader(tables)
    drawing = drawn(entry, read)
    save(drawing, Path(out) / file_of(name), beside(entry, drawing, read, scale))
    _close_figure(drawing.figure)
    return drawing


def drawn(entry: Figure, tables: Tables) -> Drawing:
    """A figure as it is published, with readable names and its legend."""
    use_style()
    where = f"{Place.of(entry.make)}: figure {entry.name}"
    drawing = entry.make(only_declared(tables, entry.reads, where))
    if not isinstance(drawing, Drawing):
        raise InputError(f"{where} returned {type(drawing).__name__}; allowed: Drawing")
    pixels = round(PIXELS * drawing.figure.get_figwidth())
    if pixels != WIDTHS[entry.width]:
        allowed = f"panels(..., width='{entry.width}')"
        raise InputError(f"{where} is {pixels} pixels wide; allowed: {allowed}, as it declares")
    absent = {name for plot in entry.plots for name in plot.columns} - set(drawing.data)
    if absent:
        raise InputError(f"{where}: its plot names {min(absent)}, which is no column of its data")
    tidy(drawing.figure, drawing.legend)
    drawing.figure.draw_without_rendering()
    drawing.figure.set_layout_engine("none")  # PNG and PDF are laid out alike
    return drawing


def beside(entry: Figure, drawing: Drawing, tables: Tables, scale: str | None = None) -> Beside:
    """The text beside the picture."""
    settings = settings_of(entry, drawing, tables, scale)
    texts = (entry.title, entry.paper_says, drawing.we_see, settings)
    return Beside(*map(readable, texts), table=_cells(drawing.table))


def _cells(table: pd.DataFrame | None) -> list[list[str]]:
    if table is None:
        return []
    if table.index.name or table.index.nlevels > 1:
        table = table.reset_index()
    rows = [list(table.columns), *table.itertuples(index=False)]
    return [[readable(_cell(value)) for value in row] for row in rows]


def _cell(value) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else "∞" if np.isinf(value) else f"{value:.3g}"
    return str(value).replace("|", "∣")


def publish(
    paper: str, notebook: str, tables: str | Path | None, figures: str | Path | None
) -> Tables:
    """In a notebook: write the files of its figures, and return a function that reads their data.

    A run sets the folders of its tables and figures. In Jupyter they are None: nothing is written,
    and the data are the published ones, figures/PAPER/*.csv. If a figure cannot be drawn, its error
    is printed and the others are still drawn; the job then fails (reproduction.__main__.draw).
    """
    use_style()
    if tables is None or figures is None:
        published = _checkout() / "figures" / paper
        return lambda name: read_table(published / f"{name}.csv")
    for entry in FIGURES.all().values():
        if (entry.paper, entry.notebook) == (paper, notebook):
            try:
                draw(entry.name, tables, figures)
            except Exception:
                print(f"{entry.name} could not be drawn:\n{traceback.format_exc()}")
                _close_figure("all")  # so that the notebook does not show an unfinished figure
    return lambda name: read_table(Path(figures) / f"{name}.csv")


def ledger_rows(paper: str, verdicts: str | Path | None) -> pd.DataFrame:
    """In a notebook: a paper's rows of the ledger, of the run or as published."""
    if verdicts is not None:
        return read_table(Path(verdicts) / "verdicts.csv")
    ledger = read_table(_checkout() / "figures/claims.csv")
    return ledger[ledger["paper"] == paper.upper()]


def _checkout() -> Path:
    """The current folder or the nearest one above it that has a Snakefile."""
    current = Path.cwd()
    folders = (current, *current.parents)
    return next((folder for folder in folders if (folder / "Snakefile").is_file()), current)


def file_of(name: str) -> str:
    return name.split("/", 1)[1]


def _close_figure(figure) -> None:
    """Close a figure, which pyplot would show again at the end of a notebook's cell."""
    import matplotlib.pyplot as plt

    plt.close(figure)


def save(drawing: Drawing, stem: Path, text: Beside) -> None:
    """Write STEM.pdf, .png, .csv and .txt, without dates, so that equal data give equal files."""
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    with atomic(f"{stem}.pdf") as temporary:
        drawing.figure.savefig(temporary, metadata={"CreationDate": None})
    with atomic(f"{stem}.png") as temporary:
        _save_png(drawing.figure, temporary)
    write_csv(drawing.data, f"{stem}.csv")
    write_text(text.as_text(), f"{stem}.txt")


def _save_png(figure, path: Path) -> None:
    """Write a PNG with a palette of 128 colours, which has a third of the size and looks alike."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    figure.set_dpi(2 * PIXELS)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    image = image.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    image.save(path, "PNG", dpi=(2 * PIXELS, 2 * PIXELS), compress_level=8)
