"""Looks, frames and captions: what is shared by all figures, by hand."""

from itertools import pairwise
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from dpbandits.core import frame, style
from dpbandits.core.errors import InputError
from dpbandits.pipeline import captions


def test_numbers_of_a_caption():
    said = {1000: "1,000", 0.25: "0.25", 12.3456: "12.3", -2e6: "-2,000,000", 1e9: "1e+09",
            999_999_999.0: "999,999,999", 0: "0"}  # fmt: skip
    assert {value: captions._number(value) for value in said} == said
    assert captions._span([3, 3.0]) == "3"
    assert captions._span([5, 1, 2000]) == "1 to 2,000"
    assert captions._span(["b", 1, "b"]) == "b, 1"
    assert captions._listed({"eta": 1, "n": 2, "other": 0.5}, {"n"}) == "η = 1, other = 0.5"


def algorithm(claim="", parameter="epsilon", name="pure", delta=None):
    notion = SimpleNamespace(parameter=parameter, name=name, delta=delta)
    return SimpleNamespace(claim=claim, notion=notion)


def test_what_eps_promises_is_said_where_it_is_not_pure_privacy():
    drawn = {
        "b": algorithm(parameter="rho", name="zCDP", delta=1e-6),
        "a": algorithm(delta=1e-6),
        "c": algorithm("assumed: by its authors"),
        "d": algorithm("assumed: see docs/proofs/HU.md"),
        "e": algorithm("HU-T8"),
    }
    assert captions._promises(drawn) == [
        "(ε, δ)-private with δ = 10⁻⁶: a, b",
        "ε stands for the ρ of zCDP: b",
        "ε as argued by its authors, not audited here: c",
    ]


def test_no_two_papers_share_a_look(monkeypatch):
    one = SimpleNamespace(looks={"a": 0, "b": 1}, package="one")
    monkeypatch.setattr(style, "papers", lambda: {"x": one})
    assert style._slots.__wrapped__() == one.looks
    two = SimpleNamespace(looks={"c": 2, "b": 3}, package="two")
    monkeypatch.setattr(style, "papers", lambda: {"x": one, "y": two})
    with pytest.raises(InputError, match="looks of two: b has another paper's look"):
        style._slots.__wrapped__()


def test_a_look_is_the_slots_or_follows_from_the_name(monkeypatch):
    """Eleven colours, eight markers; "ab" is 97 + 98 = 195, of 88 the 19th."""
    monkeypatch.setattr(style, "_slots", lambda: {"x": 12})
    monkeypatch.setattr(style, "not_private", lambda: {"x": "= 2"})
    assert style.look("x") == {"color": style.OKABE_ITO[1], "linestyle": "--", "marker": "v"}
    assert style.look("ab") == {"color": style.OKABE_ITO[8], "linestyle": "-", "marker": "D"}


def test_panels_are_as_large_each_however_many_there_are():
    for rows, columns in ((1, 1), (2, 3)):
        canvas, axes = style.panels(rows, columns, height=2, width=3)
        plt.close(canvas)
        assert tuple(canvas.get_size_inches()) == (3 * columns, 2 * rows)
        assert axes.shape == (rows, columns)


def test_a_name_is_written_as_in_the_papers():
    assert style.named("adap-klucb, rnm-ftnl") == "AdaP-KLUCB, RNM-FTNL"
    assert style.named("xdp-se dp-see matern52") == "xdp-se dp-see Matérn 5/2"


def test_a_band_is_drawn_along_x_and_says_what_is_not_private(monkeypatch):
    monkeypatch.setattr(style, "not_private", lambda: {"x": "= 2"})
    data = pd.DataFrame({"t": range(20, 0, -1), "mean": 1.0, "low": 0.5, "high": 2.0})
    canvas, ax = plt.subplots()
    style.band(ax, data, "t", "its name", series="x")
    style.band(ax, data.head(3), "t", "y", {"color": "red", "linestyle": "-"})
    plt.close(canvas)
    first, second = ax.lines
    assert first.get_label() == "its name (not private: real ε = 2)"
    assert (first.get_linestyle(), first.get_gid(), first.get_markevery()) == ("--", "x", 2)
    assert list(first.get_xdata()) == list(range(1, 21))
    assert (second.get_label(), second.get_gid(), second.get_markevery()) == ("y", "y", 1)
    assert [len(band.get_paths()) for band in ax.collections] == [1, 1]
    lows = ax.collections[1].get_paths()[0].vertices
    assert (lows[:, 1].min(), lows[:, 1].max()) == (0.5, 2.0)


def test_lines_are_as_full_as_they_can_be():
    """95% of three inches less the margins, at 8 points; a word that is too long is cut."""
    words = "some words of a caption that goes on and on, " * 9 + "W" * 60
    wide = lambda text: sum(map(frame._advance, text)) * 8 / 72  # noqa: E731
    lines = frame.wrapped(f"{words}\nanother part\n\n", 3, 8)
    room = 0.95 * (3 - 2 * 0.08)
    assert all(wide(line) <= room for line in lines)
    for line, after in pairwise(lines[:-1]):
        assert wide(f"{line} {after.split(' ')[0]}") > room or wide(line + after[0]) > room
    assert lines[-1] == "another part"
    assert "".join(lines[:-1]).replace(" ", "") == words.replace(" ", "")


def test_badges_stand_in_rows_as_wide_as_the_canvas():
    wide = sum(map(frame._advance, "badge")) * 7.5 / 72 + 0.2
    rows = frame._badge_rows([("badge", "ink", "ground")] * 5, 2.5 * wide)
    assert [len(row) for row in rows] == [2, 2, 1]
    assert rows[0][1] == (pytest.approx(wide + 0.05), "badge", "ink", "ground")
    assert rows[1][0][0] == pytest.approx(0.05)
    assert frame._badge_rows([], 1) == []
