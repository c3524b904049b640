"""Draw registered figures, and write their files: picture, data, and the text beside the picture.

notebooks.py has what a notebook calls.
"""

import math
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.documents import read_yaml
from dpbandits.core.errors import InputError
from dpbandits.core.files import atomic, write_text
from dpbandits.core.models import parse
from dpbandits.core.registry import Place
from dpbandits.reproduction.designs import get_design
from dpbandits.reproduction.files import write_csv
from dpbandits.reproduction.ledger.prose import said_and_seen
from dpbandits.reproduction.ledger.rows import rows_of
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline.config import Experiment, PaperConfig
from dpbandits.reproduction.plots.beside import LABELS, Beside, as_text
from dpbandits.reproduction.plots.curves import tidy
from dpbandits.reproduction.plots.figures import FIGURES, Drawing, Figure, Tables, reader
from dpbandits.reproduction.plots.style import PIXELS, WIDTHS, not_private, use_style
from dpbandits.reproduction.plots.words import readable
from dpbandits.reproduction.studies import get_study, only_declared

# keys of settings that are said although the config leaves them at their default
DEFAULTS = ("d", "dim", "arms", "sparsity", "true_sparsity", "rho", "sigma", "delta", "tau")
SAID = {"horizon": "T", "horizons": "T", "seeds": "runs", "epsilon": "ε"}  # others by their key
SILENT = {"series", "settings", "seed"}
COLUMNS = {  # of a table, which have the values of these keys; others by their key
    "horizons": "t", "horizon": "t", "rounds": "t", "times": "T", "sparsity": "s",
    "preferences": "n", "kinds": "instance",
}  # fmt: skip
NUMBERS = ("vary", "epsilon", "horizon", "seeds")
BAND = "bands and bars are 95% intervals of the mean over runs"
DASHED = "full lines are private at the ε shown; dashed ones are not"


figures, get_figure = FIGURES.all, FIGURES.get  # all by name; the one of a name, in any case


def draw(name: str, tables: Tables | str | Path, out: str | Path, scale: str = "paper") -> Drawing:
    """Draw a figure and write its files to the folder `out`: PNG, PDF, CSV and text.
    name: "paper/figure". tables: the folder of the paper's tables, or a function from a table's
    name to its DataFrame. scale: of the tables, for the settings."""
    import matplotlib.pyplot as plt

    entry, read = get_figure(name), reader(tables)
    drawing = drawn(entry, read)
    save(drawing, Path(out) / entry.file, beside(entry, drawing, read, scale))
    plt.close(drawing.figure)  # which would be shown again at the end of a notebook's cell
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
    tidy(drawing.figure, drawing.legend)
    drawing.figure.draw_without_rendering()
    drawing.figure.set_layout_engine("none")  # PNG and PDF are laid out alike
    return drawing


def beside(entry: Figure, drawing: Drawing, tables: Tables, scale: str) -> Beside:
    """The text beside the picture: its claims' rows, what is drawn, and the settings."""
    rows = rows_of(tables("verdicts")) if entry.claims else []
    said, asked, seen = said_and_seen(entry.claims, rows) if entry.claims else ("", "", "")
    data = drawing.data
    sentences = [drawing.note, configured(entry, drawing, scale)]
    sentences += [BAND] * ({"sem", "runs"} <= {*data})
    sentences += [DASHED] * (not {*data.get("algorithm", ())}.isdisjoint(not_private()))
    settings = " ".join(f"{_begun(sentence).rstrip('.')}." for sentence in sentences if sentence)
    texts = entry.title, said, asked, f"{seen} {drawing.seen}".strip(), settings
    return dict(zip(("title", *LABELS), map(readable, texts), strict=True))


def _begun(sentence: str) -> str:
    """With a capital letter, unless it begins with a symbol or the name of an algorithm."""
    return re.sub("^[a-z](?=[a-z]+ )", lambda letter: letter[0].upper(), sentence)


def configured(entry: Figure, drawing: Drawing, scale: str) -> str:
    """What the config has for the tables of a figure, each key once; of several values, as of named
    settings, those that are drawn."""
    path = papers()[entry.paper].file("config", f"{entry.paper}.yaml")
    config = parse(PaperConfig, read_yaml(path), str(path)) if path.is_file() else PaperConfig()
    drawn, found = {*drawing.data.get("setting", ())}, defaultdict(dict)
    for name in entry.reads:
        own = {**config.experiments, **config.studies}.get(name)
        if own is None:
            continue
        at = own.at(scale)
        if isinstance(at, Experiment) and not at.params:
            given, settings = {key: getattr(at, key) for key in NUMBERS}, at.settings
            first = {key: values[0] for key, values in at.vary.items()} | at.algorithms[0].with_
            model = get_algorithm(at.algorithms[0].name).setting
            full = {id: parse(model, first | s, name).model_dump() for id, s in settings.items()}
            said = {*DEFAULTS}.union(*settings.values()).difference(at.vary)
        else:
            default = f"{entry.paper}/{name}"
            if isinstance(at, Experiment):
                model, runs = get_design(at.design or default), {"seeds": at.seeds}
                at = at.params | (runs if "seeds" in own.model_fields_set else {})
            else:
                model, runs = get_study(own.study or default).params, {}
            dump = parse(model, {k: at[k] for k in at if k not in runs}, name).model_dump()
            given = at | {key: dump[key] for key in DEFAULTS if key in dump} | {"vary": None}
            settings, full = at.get("settings", {}), dump.get("settings", {})
            said = {*DEFAULTS}.union(*settings.values()).difference(given)
        if drawn and settings and drawn.isdisjoint(settings):
            continue  # it gives levels to compare with
        for id in settings:
            if (id in drawn or not drawn) and isinstance(full[id], dict):
                _add(found, {key: value for key, value in full[id].items() if key in said})
        told = {key: _drawn(key, value, drawing.data) for key, value in given.items()}
        _add(found, {key: value for key, value in told.items() if key not in SILENT})
    return "; ".join(f"{key} = {' / '.join(values)}" for key, values in found.items())


def _drawn(key: str, value: Any, data: pd.DataFrame) -> Any:
    """A value of the config; of several those that the data have in a column of their own."""
    if not isinstance(value, list | tuple):
        return value
    column = next((name for name in (key, COLUMNS.get(key)) if name in data), None)
    seen = data[column].unique() if column else ()
    return [x for x in value if any(x == y or _close(x, y) for y in seen)] or None


def _close(x: Any, y: Any) -> bool:
    """Whether two numbers are the same in a table, which has six digits."""
    numbers = not {str} & {type(x), type(y)}
    return numbers and math.isclose(x, y, rel_tol=1e-5)


def _add(found: dict[str, dict[str, None]], params: dict[str, Any]) -> None:
    """Add the values among some parameters and inside them as texts; of a long list its ends."""
    for key, value in params.items():
        if isinstance(value, dict):
            _add(found, value)
        elif value is not None:
            values = value if isinstance(value, list | tuple) else [value]
            texts = [v if isinstance(v, str) else _number(v) for v in values]
            text = ", ".join(texts) if len(texts) < 6 else f"{texts[0]} to {texts[-1]}"
            found[SAID.get(key, key.replace("_", " "))][text] = None


def _number(value: float) -> str:
    whole = abs(value) < 1e9 and value == int(value)
    return f"{value:,.0f}" if whole else f"{value:.3g}".replace("inf", "∞")


def folder_of(files: list[str]) -> Path:
    """The folder of figures that holds one file of each figure, PAPER/NAME.png, perhaps a copy."""
    stems = [Path(file).with_suffix("").as_posix() for file in files]
    roots = [s.removesuffix(n) for s in stems for n in figures() if s.endswith(f"/{n}")]
    return Path(min(roots, key=len))


def save(drawing: Drawing, stem: Path, text: Beside) -> None:
    """Write STEM.pdf, .png, .csv and .txt, without dates, so that equal data give equal files."""
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    os.environ["SOURCE_DATE_EPOCH"] = "0"
    with atomic(f"{stem}.pdf") as temporary:  # by `savefig` it would be drawn twice, for a layout
        FigureCanvasPdf(drawing.figure).print_pdf(temporary, metadata={"CreationDate": None})
    with atomic(f"{stem}.png") as temporary:
        _save_png(drawing.figure, temporary)
    write_csv(drawing.data, f"{stem}.csv")
    write_text(as_text(text), f"{stem}.txt")


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
