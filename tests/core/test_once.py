"""What is measured or taken apart once gives what doing it each time gives, byte for byte."""

from io import BytesIO

import matplotlib.pyplot as plt
import pytest
from matplotlib.backends import _backend_pdf_ps as backend
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.ft2font import FT2Font, LoadFlags

from dpbandits.core.once import measured_once
from dpbandits.core.style import panels


def saved(canvas, dpi: int) -> bytes:
    file = BytesIO()
    canvas.savefig(file, format="png", dpi=dpi)
    return file.getvalue()


def drawn():
    canvas, axes = panels(1, 2)
    axes[0, 0].loglog([1, 30, 4000], [2e-3, 5, 7e6], label="a")
    axes[0, 0].set(title="left", xlabel="x", ylabel="y")
    axes[0, 1].plot([0, 1e7], [1, 2])  # with an offset at its axis
    return canvas


def changed(canvas, step: int) -> None:
    """Another size, another place, another view, another word: each must be seen."""
    ax = canvas.axes[0]
    (
        lambda: None,
        lambda: canvas.set_size_inches(2.4, 1.4),
        lambda: canvas.set_layout_engine(None) or ax.set_position((0.3, 0.4, 0.2, 0.3)),
        lambda: ax.set_xlim(3, 5),
        lambda: ax.title.set_text("another\ntitle"),
    )[step]()


def test_what_changes_is_measured_again():
    each_time, once = drawn(), drawn()
    pictures = set()
    with measured_once():
        seen = [changed(once, step) or [saved(once, dpi) for dpi in (100, 60)] for step in range(5)]
    for step in range(5):
        changed(each_time, step)
        pictures |= {*seen[step]}
        assert seen[step] == [saved(each_time, dpi) for dpi in (100, 60)], step
    assert len(pictures) == 10  # each change shows
    plt.close("all")


def test_the_patches_end_with_the_work_even_if_it_fails():
    from matplotlib.axis import Axis

    before, during = Axis._update_ticks, []
    with pytest.raises(IndexError), measured_once():
        (during.append(Axis._update_ticks), during[1])
    assert Axis._update_ticks is before is not during[0]


def test_a_font_in_memory_sets_texts_as_its_file_does():
    drawn()
    plt.close("all")
    (file,) = fontManager._find_fonts_by_props(FontProperties(family="DejaVu Sans"))
    kept, read = get_font(file), FT2Font(str(file))
    assert str(kept.fname) == read.fname == str(file)
    assert kept.fname is not read.fname
    found = []
    for font in (kept, read):
        font.set_size(7, 130)
        font.set_text("AV ε₀ ≤ Δ²", 0.0, flags=LoadFlags.NO_HINTING)
        found.append((font.get_width_height(), font.get_descent(), font.get_bitmap_offset()))
    assert found[0] == found[1]


def test_letters_come_from_the_whole_font_as_they_were():
    """Usual ones, then some that the small font lacks at first (subscripts), then usual again."""
    drawn()
    plt.close("all")
    (file,) = fontManager._find_fonts_by_props(FontProperties(family="DejaVu Sans"))
    font, small = get_font(file), backend.get_glyphs_subset
    whole = small.whole
    for text in ("plain words, 012", "ε₀ ≤ Δ²√n ⟨∇⟩ é", "again"):
        glyphs = {font.get_char_index(ord(letter)) for letter in text}
        found = []
        for take in (whole, small):
            with take(file, glyphs) as subset:
                places = {glyph: subset.glyph_index_map[glyph] for glyph in glyphs}
                found.append((backend.font_as_file(subset.font).getvalue(), places))
        assert found[0] == found[1], text
