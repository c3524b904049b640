"""What matplotlib does again and again for the same picture, done once.

Between two changes of size each axis finds its ticks and measures their labels some six times, and
each PDF reads and takes apart a font of 6000 letters. The pictures are the same, byte by byte.
"""

from contextlib import contextmanager
from io import BytesIO

USUAL = (*range(0x100), *range(0x391, 0x3CA), *range(0x1D62, 0x1D66), *range(0x2010, 0x2030))
USUAL += (*range(0x2070, 0x209D), *range(0x2190, 0x2194), *range(0x2200, 0x2290), 0x22A4)
USUAL += (*range(0x2308, 0x230C), 0x27E8, 0x27E9, 0x2C7C)  # what papers are written with


@contextmanager
def measured_once():
    """For the time that nothing but sizes, resolution and places change."""
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    seen: dict[tuple, tuple] = {}
    find, measure, lay_out = Axis._update_ticks, Axis._get_ticklabel_bboxes, Text._get_layout

    def once(artist, kind, state, make):
        if seen.get((artist, kind), ((), ()))[0] != state:
            seen[artist, kind] = state, make()
        return seen[artist, kind][1]

    def place(axis):
        figure, box = axis.get_figure(root=True), axis.axes.get_position()
        return (figure.dpi, *figure.get_size_inches(), *box.bounds, *axis.get_view_interval())

    def ticks(axis):  # that there are depends on how many there is room for
        state = (axis.get_tick_space(), *axis.get_view_interval())
        return once(axis, "", state, lambda: find(axis))

    def boxes(axis, ticks, renderer):
        return once(axis, type(renderer), place(axis), lambda: measure(axis, ticks, renderer))

    def layout(text, renderer):
        state = (text.get_text(), text.get_figure(root=True).dpi)
        return once(text, type(renderer), state, lambda: lay_out(text, renderer))

    Axis._update_ticks, Axis._get_ticklabel_bboxes, Text._get_layout = ticks, boxes, layout
    try:
        yield
    finally:
        Axis._update_ticks, Axis._get_ticklabel_bboxes, Text._get_layout = find, measure, lay_out


class _Font(BytesIO):
    """A font in memory, as matplotlib wants its files."""

    face_index = 0


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
