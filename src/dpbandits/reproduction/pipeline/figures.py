"""Draw registered figures, and one plot per claim.

A notebook calls `show`, which writes the PNG, PDF (not for claims), data as CSV and text of a
figure, and shows the PNG.
"""

import os
import traceback
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dpbandits.core.errors import InputError, entry_of
from dpbandits.core.files import atomic, write_csv, write_text
from dpbandits.core.registry import Place
from dpbandits.reproduction.pipeline.captions import caption, scale_of
from dpbandits.reproduction.pipeline.claim_plots import claim_figures, name_of
from dpbandits.reproduction.plots.figures import FIGURES, Drawing, Figure, Tables, reader
from dpbandits.reproduction.plots.frame import finish
from dpbandits.reproduction.plots.style import use_style
from dpbandits.reproduction.plots.words import readable
from dpbandits.reproduction.studies import only_declared


def figures() -> dict[str, Figure]:
    """All figures by name: the registered ones, and one per claim."""
    return FIGURES.all() | claim_figures()


def get_figure(name: str) -> Figure:
    """The figure of a name, in any case."""
    if "/claims/" not in name.lower():
        return FIGURES.get(name)
    figures_of_paper = claim_figures(name.split("/")[0].lower())
    return entry_of(name, figures_of_paper, "figure: unknown", "see dpbandits list figures")


def draw(
    name: str, tables: Tables | str | Path, out: str | Path, scale: str | None = None
) -> Drawing:
    """Draw a figure and write its files to the folder `out`: PNG, CSV, text, PDF (not for claims).

    name: "paper/figure". tables: the folder of the paper's tables, or a function from a table's
    name to its DataFrame. scale: of the tables, for the caption; by default that of their folder.
    """
    use_style()
    scale = scale or (None if callable(tables) else scale_of(tables))
    entry = get_figure(name)
    drawing = drawn(entry, reader(tables), scale)
    save(drawing, Path(out) / _file(name), "pdf" in entry.suffixes)
    _close_figure(drawing.figure)
    return drawing


def drawn(entry: Figure, tables: Tables, scale: str | None = None) -> Drawing:
    """A figure as it is published, with title, legend and caption."""
    is_claim = entry.folder == "claims"
    where = "" if is_claim else f"{Place.of(entry.make)}: "
    drawing = entry.make(only_declared(tables, entry.reads, f"{where}figure {entry.name}"))
    if not isinstance(drawing, Drawing):
        kind = type(drawing).__name__
        raise InputError(f"{where}figure {entry.name} returned {kind}; allowed: Drawing")
    if not is_claim:  # plots of claims have their own frame
        head = ": ".join(filter(None, (entry.title, drawing.finding)))
        finish(drawing.figure, [head], caption(entry, drawing, tables, scale))
    return drawing


def show(name: str, tables: str | Path | None, figures: str | Path | None) -> None:
    """In a notebook: draw a figure, print what we see in it, and show its PNG.

    A run sets the folders of its tables and figures. In Jupyter they are None: the figure is then
    drawn from the checkout's results/tables into a temporary folder, or without results the
    committed picture is shown. If a figure cannot be drawn, its cell shows the error and the others
    are still drawn; the job then fails (pipeline.__main__.draw).
    """
    if tables is None or figures is None:
        _show_in_jupyter(name)
        return
    try:
        text = readable(draw(name, tables, figures).we_see)
    except Exception:
        print(f"{name} could not be drawn:\n{traceback.format_exc()}")
        _close_figure("all")  # so that the notebook does not show an unfinished figure
        return
    _display(name, text, Path(figures) / f"{_file(name)}.png")


def _show_in_jupyter(name: str) -> None:
    """Show a figure from the results of this checkout, or as it is committed; write nothing."""
    with chdir(_checkout()), TemporaryDirectory() as folder:
        entry = get_figure(name)
        tables = Path("results", entry.folder, entry.paper)
        committed = Path("figures", entry.paper, f"{_file(entry.name)}.png")
        if all((tables / f"{table}.csv").is_file() for table in entry.reads):
            print(f"Drawn from {tables}:")
            show(name, tables, folder)
        elif committed.is_file():
            print(f"There are no results of a run. The committed picture, {committed}:")
            text = committed.with_suffix(".txt")
            _display(name, text.read_text("utf-8").strip() if text.is_file() else "", committed)
        else:
            print(f"{name}: no results of a run, and no committed picture. Run `make`.")


def _checkout() -> Path:
    """The current folder or the nearest one above it that has a Snakefile."""
    current = Path.cwd()
    folders = (current, *current.parents)
    return next((folder for folder in folders if (folder / "Snakefile").is_file()), current)


def _display(name: str, text: str, png: Path) -> None:
    from IPython.display import Image, display

    print(text)
    display(Image(filename=png, alt=get_figure(name).alt))


def show_claims(ids: str, tables: str | Path | None, figures: str | Path | None) -> None:
    """In a notebook: show the plots of claims (ids separated by blanks), each with its verdict."""
    for id in ids.split():
        show(name_of(id), tables, figures)


def _file(name: str) -> str:
    return name.split("/", 1)[1]


def _close_figure(figure) -> None:
    """Close a figure, which pyplot would show again at the end of a notebook's cell."""
    import matplotlib.pyplot as plt

    plt.close(figure)


def save(drawing: Drawing, stem: Path, pdf: bool) -> None:
    """Write STEM.png, .csv, .txt (what we see) and perhaps .pdf, without dates, so that equal data
    give equal files."""
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    if pdf:
        with atomic(f"{stem}.pdf") as temporary:
            drawing.figure.savefig(temporary, metadata={"CreationDate": None})
    with atomic(f"{stem}.png") as temporary:
        _save_png(drawing, temporary)
    write_csv(drawing.data, f"{stem}.csv")
    write_text(f"{readable(drawing.we_see)}\n", f"{stem}.txt")


def _save_png(drawing: Drawing, path: Path) -> None:
    """Write a PNG with a palette of 128 colours, which has a third of the size and looks alike."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    from dpbandits.reproduction.plots.drawn import KEY, as_json

    drawing.figure.set_dpi(drawing.dpi)
    canvas = FigureCanvasAgg(drawing.figure)
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    method, dither = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
    image = image.quantize(128, method=method, kmeans=1, dither=dither)
    info = PngInfo()  # the curves as data, for the report's interactive plots
    info.add_text(KEY, as_json(drawing.figure, drawing.finding), zip=True)
    image.save(path, "PNG", dpi=(drawing.dpi, drawing.dpi), compress_level=8, pnginfo=info)
