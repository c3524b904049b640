"""What is shown, as plain text in parts, against golden hashes: one line of looks.csv per thing.

A test calls `same(name, parts)`; one that fails names the parts that changed and prints them. It
does not say that a look is right, only that none changes unnoticed. After a change that is meant:
`GOLDEN=write python -m pytest FILE` writes the lines of a file's tests anew (each is then skipped).
"""

import csv
import os
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex

FILE = Path(__file__).with_suffix(".csv")


def same(name: str, parts: dict[str, str]) -> None:
    found = {part: sha256(text.encode()).hexdigest()[:8] for part, text in parts.items()}
    known = read()
    if os.environ.get("GOLDEN") == "write":
        known[name] = found
        with open(FILE, "w", newline="", encoding="utf-8") as file:
            for key, own in sorted(known.items()):
                line = " ".join(":".join(pair) for pair in own.items())
                csv.writer(file, lineterminator="\n").writerow([key, line])
        pytest.skip("written")
    changed = [p for p in {**found, **known[name]} if found.get(p) != known[name].get(p)]
    for part in changed:
        print(f"--- {name}, {part}, is now:\n{parts.get(part)}")
    assert not changed, f"{name} shows other {', '.join(changed)} than {FILE.name} knows"


def read() -> dict[str, dict[str, str]]:
    with open(FILE, newline="", encoding="utf-8") as file:
        return {
            key: dict(pair.split(":") for pair in line.split()) for key, line in csv.reader(file)
        }


def described(drawing) -> dict[str, str]:
    """A core.figures.Drawing: its canvas, the data that it holds, what is said of it."""
    data = drawing.data.to_csv(index=False, float_format="%.6g")
    return described_canvas(drawing.figure) | {
        "data": data,
        "said": f"{drawing.we_see}\n{drawing.note}\n{drawing.dpi}",
    }


def described_canvas(canvas) -> dict[str, str]:
    """All artists: kinds, data, colours, markers, labels, limits, scales."""
    axes = [ax for ax in canvas.axes if ax.get_visible()]
    legends = [legend for owner in (canvas, *axes) for legend in _legends(owner)]
    texts = [_text(text) for text in canvas.texts]
    texts += [_text(text) for ax in axes for text in (ax.title, *ax.texts)]
    lines = [_line(line) for ax in axes for line in ax.lines]
    fills = [_fill(x) for ax in axes for x in (*ax.collections, *ax.patches, *ax.images)]
    size = _numbers(canvas.get_size_inches())
    return {
        "texts": "\n".join(texts),
        "axes": "\n".join([size, *map(_axes, axes)]),
        "lines": "\n".join(lines),
        "fills": "\n".join(fills),
        "legend": "\n".join(map(_legend, legends)),
    }


def _legends(owner):
    return owner.legends if hasattr(owner, "legends") else filter(None, [owner.get_legend()])


def _numbers(values) -> str:
    """Five digits; what is nothing but rounding beside the largest is zero."""
    values = np.ma.filled(np.ma.asarray(values, float), np.nan).ravel()
    if (finite := np.abs(values[np.isfinite(values)])).size:
        values = np.where(np.abs(values) < 1e-12 * finite.max(), 0.0, values)
    return " ".join(f"{value:.5g}" for value in values)


def _colour(colour) -> str:
    colour = colour if isinstance(colour, str) or np.ndim(colour) < 2 else list(colour)
    if isinstance(colour, list):
        return ",".join(to_hex(c, keep_alpha=True) for c in colour)
    return colour if isinstance(colour, str) and colour == "none" else to_hex(colour, True)


def _text(text) -> str:
    place = _numbers(text.get_position())
    look = _colour(text.get_color()), text.get_fontsize(), text.get_rotation(), text.get_ha()
    box = text.get_bbox_patch()
    return f"{text.get_text()!r} {place} {look} {_fill(box) if box else ''}"


def _axis(axis) -> str:
    ticks = [label.get_text() for label in axis.get_ticklabels()], _numbers(axis.get_ticklocs())
    minor = _numbers(axis.get_ticklocs(minor=True))
    label = axis.label.get_text(), axis.get_scale(), _numbers(axis.get_view_interval())
    named = [text.get_text() for text in axis.get_ticklabels(minor=True) if text.get_text()]
    turned = {(text.get_rotation(), text.get_fontsize()) for text in axis.get_ticklabels()}
    return f"{label} {ticks} {minor} {named} {sorted(turned)}"


def _axes(ax) -> str:
    spines = [name for name, spine in ax.spines.items() if spine.get_visible()]
    where = _numbers(ax.get_position().bounds)
    return f"{where} {ax.axison} {spines}\n x {_axis(ax.xaxis)}\n y {_axis(ax.yaxis)}"


def _line(line) -> str:
    colours = [_colour(c) for c in (line.get_color(), line.get_mfc(), line.get_mec())]
    sizes = line.get_lw(), line.get_ms(), line.get_mew(), line.get_alpha(), line.get_zorder()
    shape = line.get_marker(), line.get_linestyle(), line.get_markevery()
    return (
        f"{line.get_label()} {line.get_gid()} {colours} {sizes} {shape}"
        f"\n x {_numbers(line.get_xdata(orig=False))}\n y {_numbers(line.get_ydata(orig=False))}"
    )


def _fill(artist) -> str:
    look = type(artist).__name__, artist.get_label(), artist.get_alpha(), artist.get_zorder()
    if hasattr(artist, "get_array") and artist.get_array() is not None:
        look = (
            *look,
            _numbers(artist.get_array()),
            artist.get_cmap().name,
            _numbers(artist.get_clim()),
        )
    if hasattr(artist, "get_extent") and not hasattr(artist, "get_facecolor"):  # an image
        return f"{look} {_numbers(artist.get_extent())}"
    colours = _colour(artist.get_facecolor()), _colour(artist.get_edgecolor())
    wide = _numbers(artist.get_linewidth()), artist.get_linestyle()
    paths = artist.get_paths() if hasattr(artist, "get_paths") else [artist.get_path()]
    turned = (
        artist.get_patch_transform().get_matrix() if hasattr(artist, "get_patch_transform") else []
    )
    places = artist.get_offsets() if hasattr(artist, "get_offsets") else []
    shapes = [_numbers(path.vertices) for path in paths]
    return f"{look} {colours} {wide} {shapes} {_numbers(turned)} {_numbers(places)}"


def _legend(legend) -> str:
    entries = [(text.get_text(), text.get_fontsize()) for text in legend.get_texts()]
    handles = [(type(h).__name__, _colour(h.get_color()) if hasattr(h, "get_color") else "")
               for h in legend.legend_handles]  # fmt: skip
    return f"{entries} {handles} {_numbers(legend.get_window_extent().bounds)}"
