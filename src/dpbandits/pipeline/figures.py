"""Drawing what is registered: every figure, and one plot per claim.

The notebook calls `show`, which writes PDF, PNG, the CSV of exactly what is drawn, and what we see
in it as text, and shows the PNG.
"""

import os
import traceback
from pathlib import Path

import numpy as np

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.figures import FIGURES, Drawing, Figure, Tables, reader
from dpbandits.core.files import atomic, write_csv, write_text
from dpbandits.core.frame import finish
from dpbandits.core.once import measured_once
from dpbandits.core.style import use_style
from dpbandits.core.words import readable
from dpbandits.pipeline.captions import caption, scale_of
from dpbandits.pipeline.claim_plots import claim_figures, name_of


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
    """Make a figure from tables (of a scale) or from their folder, and write it to `out`."""
    use_style()
    scale = scale or (None if callable(tables) else scale_of(tables))
    drawing = drawn(get_figure(name), reader(tables), scale)
    save(drawing, Path(out) / _file(name))
    _let_go(drawing.figure)
    return drawing


def drawn(entry: Figure, tables: Tables, scale: str | None = None) -> Drawing:
    """A figure as it is published: with its title, its one legend and its caption."""
    drawing = entry.make(tables)
    if entry.folder == "tables":  # the plot of a claim has a frame of its own
        finish(drawing.figure, [entry.title], caption(entry, drawing, tables, scale))
    return drawing


def show(name: str, tables: str | Path, figures: str | Path) -> None:
    """In a notebook: draw a figure, print what we see in it, and show its PNG as it was written.

    One that cannot be drawn says why in its cell, and the others are drawn all the same; the job
    then fails for what is missing (workflow/scripts/draw.py).
    """
    from IPython.display import Image, display

    try:
        print(readable(draw(name, tables, figures).we_see))
    except Exception:
        print(f"{name} could not be drawn:\n{traceback.format_exc()}")
        _let_go("all")  # else the notebook would try to show what is half drawn
        return
    display(Image(filename=Path(figures) / f"{_file(name)}.png", alt=get_figure(name).alt))


def show_claims(ids: str, tables: str | Path, figures: str | Path) -> None:
    """In a notebook: draw some claims (ids separated by blanks), each with its verdict in words."""
    for id in ids.split():
        show(name_of(id), tables, figures)


def _file(name: str) -> str:
    return name.split("/", 1)[1]


def _let_go(figure) -> None:
    """Take a figure from pyplot, which would show it once more at the end of a notebook's cell."""
    import matplotlib.pyplot as plt

    plt.close(figure)


def save(drawing: Drawing, stem: Path) -> None:
    """STEM.pdf, .png, .csv, and .txt (what we see); no dates: equal data give equal files."""
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    with atomic(f"{stem}.pdf") as temporary, measured_once():
        drawing.figure.savefig(temporary, metadata={"CreationDate": None})
    with atomic(f"{stem}.png") as temporary:
        _save_png(drawing, temporary)
    write_csv(drawing.data, f"{stem}.csv")
    write_text(f"{readable(drawing.we_see)}\n", f"{stem}.txt")


def _save_png(drawing: Drawing, path: Path) -> None:
    """With a palette of the 128 best colours: nobody sees it, and it takes a third of the bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from dpbandits.core.palette import with_palette  # here: who only draws on a page needs no numba

    drawing.figure.set_dpi(drawing.dpi)
    canvas = FigureCanvasAgg(drawing.figure)
    with measured_once():
        canvas.draw()
    few = with_palette(np.asarray(canvas.buffer_rgba()), 128)
    few.save(path, "PNG", dpi=(drawing.dpi, drawing.dpi), compress_level=8)
