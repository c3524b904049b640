"""Colours, markers, dashes, names and bands of series (whole figures: test_every_figure.py)."""

import matplotlib.pyplot as plt
import pandas as pd

from dpbandits.reproduction.plots import style
from dpbandits.reproduction.plots.curves import curves, label_ends, tidy
from dpbandits.reproduction.plots.figures import Plot


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


def test_one_legend_names_that_can_be_read_and_ticks_at_powers_of_ten():
    canvas, axes = style.panels(1, 2, width="half")
    for ax in axes[0]:
        ax.plot([1, 1e6], [1, 2], label="dp-se")
        ax.set(xscale="log", title="eps of adap-klucb")
    tidy(canvas)
    tidy(canvas)
    assert canvas.get_figwidth() * style.PIXELS == 555
    (legend,) = canvas.legends
    assert [text.get_text() for text in legend.get_texts()] == ["DP-SE"]
    assert axes[0, 0].get_title() == "eps of AdaP-KLUCB"
    canvas.canvas.draw()
    assert {"1", "100", "10⁶"} <= {t.get_text() for t in axes[0, 0].get_xticklabels()}
    plt.close(canvas)


def test_curves_by_panel_and_names_at_their_ends():
    data = pd.DataFrame(
        {"x": [1, 2] * 4, "y": range(8), "arm": list("aabb") * 2, "epsilon": [1.0] * 4 + [2.0] * 4}
    )
    plot = Plot("x", "y", curve="arm", panel="epsilon")
    canvas, axes = curves(data, plot, names={"a": "first"})
    assert [ax.get_title() for ax in axes.values()] == ["ε = 1", "ε = 2"]
    assert [line.get_label() for line in axes[1.0].lines] == ["first", "b"]
    axes[2.0].lines[1].set_ydata(axes[2.0].lines[0].get_ydata())  # two ends at one place
    label_ends(axes[2.0])
    canvas.draw_without_rendering()
    one, other = (text.get_window_extent() for text in axes[2.0].texts)
    assert not one.overlaps(other)
    plt.close(canvas)
