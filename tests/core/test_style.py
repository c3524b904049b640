"""Colours, markers, dashes, names and bands of series (whole figures: test_every_figure.py)."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from dpbandits.core.errors import InputError
from dpbandits.reproduction.plots import frame, style


def test_two_papers_with_one_look_are_refused(monkeypatch):
    one = SimpleNamespace(looks={"a": 0, "b": 1}, package="one")
    monkeypatch.setattr(style, "papers", lambda: {"x": one})
    assert style.slots.__wrapped__() == one.looks
    two = SimpleNamespace(looks={"c": 2, "b": 3}, package="two")
    monkeypatch.setattr(style, "papers", lambda: {"x": one, "y": two})
    with pytest.raises(InputError, match="looks of two: b has another paper's look"):
        style.slots.__wrapped__()


def test_look_of_a_name(monkeypatch):
    """By its slot, else by its characters: "ab" is 97 + 98 = 195, which is 19 modulo 88."""
    monkeypatch.setattr(style, "slots", lambda: {"x": 12})
    monkeypatch.setattr(style, "not_private", lambda: {"x": "= 2"})
    assert style.look("x") == {"color": style.METHODS[1], "linestyle": "--", "marker": "v"}
    assert style.look("ab") == {"color": style.METHODS[8], "linestyle": "-", "marker": "D"}


def test_names_as_in_the_papers():
    assert style.named("adap-klucb, rnm-ftnl") == "AdaP-KLUCB, RNM-FTNL"
    assert style.named("xdp-se dp-see matern52") == "xdp-se dp-see Matérn 5/2"


def test_band_is_sorted_by_x_and_names_what_is_not_private(monkeypatch):
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


def test_wrapped_lines():
    """Paragraphs begin a line, and a word that is longer than a line is cut."""
    words = "some words of a caption that goes on and on, " * 9 + "W" * 60
    lines = frame.wrapped(f"{words}\nanother part\n\n", 3, 8)
    assert lines[-1] == "another part"
    assert "".join(lines[:-1]).replace(" ", "") == words.replace(" ", "")
    assert {len(line) for line in lines if set(line) == {"W"}} == {24, 12}
