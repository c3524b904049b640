"""The data in a PNG are those that it shows: curves, colours, order, axes, intervals."""

import json
import math

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from dpbandits.reproduction.plots.drawn import KEY, panels_of
from dpbandits.reproduction.plots.frame import finish
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from PIL import Image
from scratch import ROOT

from dpbandits.reproduction.pipeline.figures import drawn, save
from dpbandits.reproduction.plots.figures import FIGURES, Drawing, reader
from dpbandits.reproduction.plots.style import panels, use_style
from dpbandits.reproduction.plots.words import readable

GOLDEN = ROOT / "tests/golden"


def data_of(figure) -> list[dict]:
    figure.draw_without_rendering()
    return panels_of(figure)


@pytest.fixture
def axes():
    use_style()
    figure, axes = panels(1, 2, x="rounds t", y="regret")
    yield figure, axes[0]
    plt.close(figure)


def test_curve_has_its_name_colour_dash_and_points(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2], [3, 4], "--", color="#d55e00", label="dp-se")
    (curve,) = data_of(figure)[0]["curves"]
    assert (curve["name"], curve["colour"], curve["dash"]) == ("DP-SE", "#d55e00", "6 3")
    assert curve["points"] == [[1, 3], [2, 4]]


def test_axes_have_their_scale_range_and_label(axes):
    figure, (ax, _) = axes
    ax.plot([1, 100], [3, 4])
    ax.set(xscale="log", xlim=(0.5, 200), ylim=(5, 1))
    (panel,) = data_of(figure)
    assert panel["x"] == {"label": "rounds t", "scale": "log", "range": [0.5, 200]}
    assert panel["y"] == {"label": "regret", "scale": "linear", "range": [5, 1]}


def test_panel_has_the_label_that_it_shares(axes):
    figure, (_, right) = axes
    right.plot([1], [1], "o")
    assert data_of(figure)[0]["y"]["label"] == "regret"


def test_tick_labels_are_kept_in_full(axes):
    figure, (ax, _) = axes
    ax.plot([0, 1], [1, 1], "o")
    ax.set_xticks([0, 1], ["a long name of a mechanism", "another one"])
    assert data_of(figure)[0]["x"]["ticks"] == [
        [0, "a long name of a mechanism"],
        [1, "another one"],
    ]


def test_band_gives_the_intervals_of_its_curve(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2, 3], [5, 6, 7], color="C0")
    ax.fill_between([1, 2, 3], [4, 5, 6], [6, 7, 8], color="C0", alpha=0.2)
    (panel,) = data_of(figure)
    assert panel["curves"][0]["points"] == [[1, 5, 4, 6], [2, 6, 5, 7], [3, 7, 6, 8]]
    assert panel["areas"] == []


def test_error_bars_give_intervals_and_caps_are_no_curves(axes):
    figure, (ax, _) = axes
    ax.errorbar([1, 2], [5, 6], [1, 2], capsize=2, label="usca")
    (curve,) = data_of(figure)[0]["curves"]
    assert (curve["name"], curve["points"]) == ("USCA", [[1, 5, 4, 6], [2, 6, 4, 8]])


def test_shaded_area_behind_single_points_is_no_interval(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2], [5, 6], "o", color="C0")
    ax.fill_between([1, 2], 0, 9, color="C0", alpha=0.2)
    (panel,) = data_of(figure)
    assert panel["curves"][0]["points"] == [[1, 5], [2, 6]]
    assert len(panel["areas"]) == 1


def test_shaded_area_of_another_colour_is_no_interval(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2], [5, 6], color="C0")
    ax.fill_between([1, 2], 0, 3, color="C1", alpha=0.2)
    ax.axhspan(1, 2, color="C2")
    assert len(data_of(figure)[0]["areas"]) == 2


def test_horizontal_and_vertical_lines_are_references(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2], [5, 6])
    ax.axhline(5.5)
    ax.axvline(1.5)
    assert [c["reference"] for c in data_of(figure)[0]["curves"]] == ["", "y", "x"]


def test_label_in_one_panel_names_the_curves_of_that_look_in_all(axes):
    figure, (left, right) = axes
    left.plot([1, 2], [1, 2], color="C3", label="dp-se")
    right.plot([1, 2], [3, 4], color="C3")
    assert [panel["curves"][0]["name"] for panel in data_of(figure)] == ["DP-SE", "DP-SE"]


def test_points_that_are_not_finite_are_left_out(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2, math.inf], [1, math.nan, 2])
    assert data_of(figure)[0]["curves"][0]["points"] == [[1, 1]]


def test_png_contains_the_data(axes, tmp_path):
    figure, (ax, _) = axes
    ax.plot([1, 2], [1, 2], label="α")
    finish(figure, ["A title"], [])
    save(Drawing(figure, pd.DataFrame({"x": [1]}), finding="1e-06"), tmp_path / "a", pdf=False)
    data = json.loads(Image.open(tmp_path / "a.png").text[KEY])
    assert data == {"finding": "10⁻⁶", "panels": panels_of(figure)}


@pytest.mark.parametrize("name", sorted(FIGURES.all()))
def test_data_of_every_figure_agree_with_its_legend_and_axes(name):
    """From golden tables: names and colours of the legend; each panel has a visible point."""
    entry = FIGURES.get(name)
    use_style()
    figure = drawn(entry, reader(GOLDEN / entry.paper), "smoke").figure
    shown = data_of(figure)
    plt.close(figure)
    assert shown
    colours = {}
    for panel in shown:
        for curve in panel["curves"]:
            colours.setdefault(curve["name"], set()).add(curve["colour"])
    # direct labels: the gid of a line is the name of its series
    direct = {readable(line.get_gid() or "") for ax in figure.axes for line in ax.lines}
    for legend in figure.legends:
        names = [text.get_text() for text in legend.get_texts()]
        for handle, text in zip(legend.legend_handles, names, strict=True):
            if text in colours and isinstance(handle, Line2D):
                inks = {to_hex(handle.get_color()), to_hex(handle.get_markeredgecolor())}
                assert inks & colours[text], text
        assert colours.keys() <= {*names, *direct, ""}
    for panel in shown:
        assert panel["x"]["label"] or panel["y"]["label"] or panel["title"]
        assert any(
            within(point[0], panel["x"]) and within(point[1], panel["y"])
            for curve in panel["curves"]
            if not curve["reference"]
            for point in curve["points"]
        ), panel["title"]


def within(value: float, axis: dict) -> bool:
    low, high = sorted(axis["range"])
    return low <= value <= high
