"""Drawing what is registered: every figure, and one plot per claim.

The notebook calls `show`, which writes a PNG (of what is no claim's plot also a PDF), the CSV of
exactly what is drawn, and what we see in it as text, and shows the PNG.
"""

import os
import traceback
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dpbandits.core.algorithms import only_declared
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.figures import FIGURES, Drawing, Figure, Tables, reader
from dpbandits.core.files import atomic, write_csv, write_text
from dpbandits.core.registry import Place
from dpbandits.pipeline.captions import caption, scale_of
from dpbandits.pipeline.claim_plots import claim_figures, name_of
from dpbandits.plots.drawn import KEY, as_json
from dpbandits.plots.frame import finish
from dpbandits.plots.style import use_style
from dpbandits.plots.words import readable


def figures() -> dict[str, Figure]:
    """Those that registered themselves, and one per claim."""
    return FIGURES.all() | claim_figures()


def get_figure(name: str) -> Figure:
    """The figure of that name, in any case; imports its paper's figures or claims."""
    if "/claims/" not in name.lower():
        return FIGURES.get(name)
    own = claim_figures(name.split("/")[0].lower())
    known = {figure.lower(): entry for figure, entry in own.items()}
    if name.lower() not in known:
        raise InputError(
            f"figure: unknown '{name}'; {nearest(name, known, 'see dpbandits list figures')}"
        )
    return known[name.lower()]


def draw(
    name: str, tables: Tables | str | Path, out: str | Path, scale: str | None = None
) -> Drawing:
    """Make a figure and write it to the folder `out`, as PNG, CSV, text and (but for claims) PDF.

    name: "paper/figure". tables: the folder of the paper's tables, or a function from a table's
    name to its DataFrame. scale: what the tables were made at, for the caption.
    """
    use_style()
    scale = scale or (None if callable(tables) else scale_of(tables))
    entry = get_figure(name)
    drawing = drawn(entry, reader(tables), scale)
    save(drawing, Path(out) / _file(name), "pdf" in entry.suffixes)
    _close_figure(drawing.figure)
    return drawing


def drawn(entry: Figure, tables: Tables, scale: str | None = None) -> Drawing:
    """A figure as it is published: with its title, its one legend and its caption."""
    at = f"{Place.of(entry.make)}: " if entry.folder == "tables" else ""
    who = f"{at}figure {entry.name}"
    drawing = entry.make(only_declared(tables, entry.reads, who))
    if not isinstance(drawing, Drawing):
        raise InputError(f"{who} returned {type(drawing).__name__}; allowed: Drawing")
    if entry.folder == "tables":  # the plot of a claim has a frame of its own
        head = ": ".join(filter(None, (entry.title, drawing.finding)))
        finish(drawing.figure, [head], caption(entry, drawing, tables, scale))
    return drawing


def show(name: str, tables: str | Path | None, figures: str | Path | None) -> None:
    """In a notebook: draw a figure, print what we see in it, and show its PNG as it was written.

    A run gives the folders of its tables and figures. Opened in Jupyter they are None: the figure
    is then drawn from the checkout's results/tables, into a temporary folder; without results the
    committed picture is shown. A figure that cannot be drawn says why in its cell, and the others
    are drawn all the same; the job then fails (pipeline.__main__.draw).
    """
    if tables is None or figures is None:
        _show_in_jupyter(name)
        return
    try:
        text = readable(draw(name, tables, figures).we_see)
    except Exception:
        print(f"{name} could not be drawn:\n{traceback.format_exc()}")
        _close_figure("all")  # else the notebook would try to show what is half drawn
        return
    _display(name, text, Path(figures) / f"{_file(name)}.png")


def _show_in_jupyter(name: str) -> None:
    """Show a figure of this checkout, and write nothing into it."""
    root = checkout()
    with chdir(root), TemporaryDirectory() as scratch:  # config and results are found from the root
        entry = get_figure(name)
        tables = Path("results", entry.folder, entry.paper)
        committed = Path("figures", entry.paper, f"{_file(entry.name)}.png")
        if all((tables / f"{table}.csv").is_file() for table in entry.reads):
            print(f"Drawn from {tables}:")
            show(name, tables, scratch)
        elif committed.is_file():
            print(f"There are no results of a run. The committed picture, {committed}:")
            text = committed.with_suffix(".txt")
            _display(name, text.read_text("utf-8").strip() if text.is_file() else "", committed)
        else:
            print(f"{name}: no results of a run, and no committed picture. Run `make`.")


def checkout() -> Path:
    """The project's folder: the nearest one, from the working folder up, that has a Snakefile."""
    here = Path.cwd()
    return next((f for f in (here, *here.parents) if (f / "Snakefile").is_file()), here)


def _display(name: str, text: str, png: Path) -> None:
    from IPython.display import Image, display

    print(text)
    display(Image(filename=png, alt=get_figure(name).alt))


def show_claims(ids: str, tables: str | Path | None, figures: str | Path | None) -> None:
    """In a notebook: draw some claims (ids separated by blanks), each with its verdict in words."""
    for id in ids.split():
        show(name_of(id), tables, figures)


def _file(name: str) -> str:
    return name.split("/", 1)[1]


def _close_figure(figure) -> None:
    """Take a figure from pyplot, which would show it once more at the end of a notebook's cell."""
    import matplotlib.pyplot as plt

    plt.close(figure)


def save(drawing: Drawing, stem: Path, pdf: bool) -> None:
    """STEM.png, .csv, .txt (what we see), perhaps .pdf; no dates: equal data give equal files."""
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    if pdf:
        with atomic(f"{stem}.pdf") as temporary:
            drawing.figure.savefig(temporary, metadata={"CreationDate": None})
    with atomic(f"{stem}.png") as temporary:
        _save_png(drawing, temporary)
    write_csv(drawing.data, f"{stem}.csv")
    write_text(f"{readable(drawing.we_see)}\n", f"{stem}.txt")


def _save_png(drawing: Drawing, path: Path) -> None:
    """With a palette of 128 colours: nobody sees it, and it takes a third of the bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    drawing.figure.set_dpi(drawing.dpi)
    canvas = FigureCanvasAgg(drawing.figure)
    canvas.draw()
    colours = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    method, dither = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
    few = colours.quantize(128, method=method, kmeans=1, dither=dither)
    text = PngInfo()  # what it shows, for the report's interactive plots
    text.add_text(KEY, as_json(drawing.figure, drawing.finding), zip=True)
    few.save(path, "PNG", dpi=(drawing.dpi, drawing.dpi), compress_level=8, pnginfo=text)
