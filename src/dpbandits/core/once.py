"""What matplotlib does again and again for the same picture, done once.

Between two changes of size each axis finds its ticks and measures their labels some six times,
each letter is read from disk whenever it is measured or drawn, each formula is read for each size
of each picture, and each PDF takes apart a font of 6000 letters. The pictures are the same, byte
by byte.
"""

import os
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

USUAL = (*range(0x100), *range(0x391, 0x3CA), *range(0x1D62, 0x1D66), *range(0x2010, 0x2030))
USUAL += (*range(0x2070, 0x209D), *range(0x2190, 0x2194), *range(0x2200, 0x2290), 0x22A4)
USUAL += (*range(0x2308, 0x230C), 0x27E8, 0x27E9, 0x2C7C)  # what papers are written with


@contextmanager
def measured_once():
    """For the time that nothing but sizes, resolution and places change."""
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.spines import Spine
    from matplotlib.text import Text

    seen: dict[tuple, tuple] = {}
    find, measure, lay_out = Axis._update_ticks, Axis._get_ticklabel_bboxes, Text._get_layout
    settle, reach = Axes._unstale_viewLim, Spine.get_window_extent

    def once(artist, kind, state, make):
        if seen.get((artist, kind), ((), ()))[0] != state:
            seen[artist, kind] = state, make()
        return seen[artist, kind][1]

    def place(artist):
        pixels, data = artist.axes.bbox, artist.axes.viewLim
        dpi = artist.get_figure(root=True).dpi
        return dpi, pixels.get_points().tobytes(), data.get_points().tobytes()

    def ticks(axis):
        return once(axis, "ticks", place(axis), lambda: those(axis))

    def those(axis):  # that there are depends on how many there is room for
        state = (axis.get_tick_space(), *axis.get_view_interval())
        return once(axis, "", state, lambda: find(axis))

    def boxes(axis, ticks, renderer):
        return once(axis, type(renderer), place(axis), lambda: measure(axis, ticks, renderer))

    def layout(text, renderer):
        state = (text.get_text(), text.get_figure(root=True).dpi)
        return once(text, type(renderer), state, lambda: lay_out(text, renderer))

    def limits(axes):  # of data, which nobody adds to
        return once(axes, "", None, lambda: settle(axes))

    def extent(spine, renderer=None):
        return once(spine, "", place(spine), lambda: reach(spine, renderer))

    Axis._update_ticks, Axis._get_ticklabel_bboxes, Text._get_layout = ticks, boxes, layout
    Axes._unstale_viewLim, Spine.get_window_extent = limits, extent
    try:
        yield
    finally:
        Axis._update_ticks, Axis._get_ticklabel_bboxes, Text._get_layout = find, measure, lay_out
        Axes._unstale_viewLim, Spine.get_window_extent = settle, reach


class _Font(BytesIO):
    """A font in memory, as matplotlib wants its files."""

    face_index = 0


def _unread(text, font, **options):
    """The letters of a text for a PDF, which reads none of their outlines."""
    from matplotlib.ft2font import LoadFlags

    return font._layout(text, LoadFlags.NO_HINTING, **options)


class _File(BytesIO):
    """A font's file in memory, which matplotlib takes for the file of that name."""

    def __init__(self, path) -> None:
        super().__init__(Path(path).read_bytes())
        self.path = os.path.realpath(path)

    def __str__(self) -> str:
        return self.path


def read_fonts_once() -> None:
    """From disk: matplotlib seeks and reads a font's file for each letter of each text."""
    from matplotlib import font_manager

    font_manager._cached_realpath = cache(_File)


def read_formulas_once() -> None:
    """And not by each picture anew; nor the outlines of letters of which a PDF needs the names."""
    from matplotlib import mathtext, textpath
    from matplotlib.backends import backend_agg, backend_pdf

    backend_pdf._text_helpers = SimpleNamespace(layout=_unread)
    reader = mathtext.MathTextParser
    reader._parse_cached = cache(reader._parse_cached.__wrapped__)
    backend_agg.MathTextParser = textpath.MathTextParser = cache(reader)


def take_fonts_apart_once() -> None:
    """Let PDFs take their letters from a font of those that were asked for before."""
    from matplotlib.backends import _backend_pdf_ps as backend
    from matplotlib.font_manager import get_font

    take = getattr(backend.get_glyphs_subset, "whole", backend.get_glyphs_subset)
    small = {}

    @contextmanager
    def letters(file, glyphs):
        font, places = small.get(file, (b"", {}))
        if not places.keys() >= {*glyphs}:
            known = get_font(file).get_charmap()
            usual = {known[code] for code in USUAL if code in known}
            with take(file, usual | places.keys() | {*glyphs}) as (font, places):
                font = backend.font_as_file(font).getvalue()
            small[file] = font, places
        with take(_Font(font), {places[glyph] for glyph in glyphs}) as taken:
            found = {glyph: taken.glyph_index_map[places[glyph]] for glyph in glyphs}
            yield taken._replace(glyph_index_map=found)

    letters.whole = take  # for another copy of this module
    backend.get_glyphs_subset = letters
