"""What a picture says that it shows is what is drawn: curves, colours, order, axes, intervals."""

import json
import math

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from PIL import Image
from scratch import ROOT

from dpbandits.core.figures import FIGURES, Drawing, reader
from dpbandits.pipeline.figures import drawn, save
from dpbandits.plots.drawn import KEY, panels_of
from dpbandits.plots.frame import finish
from dpbandits.plots.style import panels, use_style
from dpbandits.plots.words import readable

GOLDEN = ROOT / "tests/golden"
FIGURE_NAMES = sorted(name for name in FIGURES.all())


def said(figure) -> list[dict]:
    figure.draw_without_rendering()
    return panels_of(figure)


@pytest.fixture
def axes():
    use_style()
    figure, axes = panels(1, 2, x="rounds t", y="regret")
    yield figure, axes[0]
    plt.close(figure)


def test_a_curve_has_its_name_colour_dash_and_points(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2], [3, 4], "--", color="#d55e00", label="dp-se")
    (curve,) = said(figure)[0]["curves"]
    assert (curve["name"], curve["colour"], curve["dash"]) == ("DP-SE", "#d55e00", "6 3")
    assert curve["points"] == [[1, 3], [2, 4]]


def test_axes_have_their_scale_range_and_label(axes):
    figure, (ax, _) = axes
    ax.plot([1, 100], [3, 4])
    ax.set(xscale="log", xlim=(0.5, 200), ylim=(5, 1))
    (panel,) = said(figure)
    assert panel["x"] == {"label": "rounds t", "scale": "log", "range": [0.5, 200]}
    assert panel["y"] == {"label": "regret", "scale": "linear", "range": [5, 1]}


def test_a_panel_takes_the_label_that_it_shares(axes):
    figure, (_, right) = axes
    right.plot([1], [1], "o")
    assert said(figure)[0]["y"]["label"] == "regret"


def test_chosen_ticks_are_kept_in_full(axes):
    figure, (ax, _) = axes
    ax.plot([0, 1], [1, 1], "o")
    ax.set_xticks([0, 1], ["a long name of a mechanism", "another one"])
    assert said(figure)[0]["x"]["ticks"] == [[0, "a long name of a mechanism"], [1, "another one"]]


def test_a_band_gives_the_interval_of_its_curve(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2, 3], [5, 6, 7], color="C0")
    ax.fill_between([1, 2, 3], [4, 5, 6], [6, 7, 8], color="C0", alpha=0.2)
    (panel,) = said(figure)
    assert panel["curves"][0]["points"] == [[1, 5, 4, 6], [2, 6, 5, 7], [3, 7, 6, 8]]
    assert panel["areas"] == []


def test_error_bars_give_intervals_and_caps_are_no_curves(axes):
    figure, (ax, _) = axes
    ax.errorbar([1, 2], [5, 6], [1, 2], capsize=2, label="usca")
    (curve,) = said(figure)[0]["curves"]
    assert (curve["name"], curve["points"]) == ("USCA", [[1, 5, 4, 6], [2, 6, 4, 8]])


def test_a_shade_behind_single_points_is_no_interval(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2], [5, 6], "o", color="C0")
    ax.fill_between([1, 2], 0, 9, color="C0", alpha=0.2)
    (panel,) = said(figure)
    assert panel["curves"][0]["points"] == [[1, 5], [2, 6]]
    assert len(panel["areas"]) == 1


def test_another_shade_is_an_area(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2], [5, 6], color="C0")
    ax.fill_between([1, 2], 0, 3, color="C1", alpha=0.2)
    ax.axhspan(1, 2, color="C2")
    assert len(said(figure)[0]["areas"]) == 2


def test_lines_across_are_references(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2], [5, 6])
    ax.axhline(5.5)
    ax.axvline(1.5)
    assert [c["reference"] for c in said(figure)[0]["curves"]] == ["", "y", "x"]


def test_a_name_of_one_panel_names_the_same_look_in_another(axes):
    figure, (left, right) = axes
    left.plot([1, 2], [1, 2], color="C3", label="dp-se")
    right.plot([1, 2], [3, 4], color="C3")
    assert [panel["curves"][0]["name"] for panel in said(figure)] == ["DP-SE", "DP-SE"]


def test_what_is_not_finite_is_left_out(axes):
    figure, (ax, _) = axes
    ax.plot([1, 2, math.inf], [1, math.nan, 2])
    assert said(figure)[0]["curves"][0]["points"] == [[1, 1]]


def test_the_png_carries_it(axes, tmp_path):
    figure, (ax, _) = axes
    ax.plot([1, 2], [1, 2], label="α")
    finish(figure, ["A title"], [])
    save(Drawing(figure, pd.DataFrame({"x": [1]}), finding="1e-06"), tmp_path / "a", pdf=False)
    kept = json.loads(Image.open(tmp_path / "a.png").text[KEY])
    assert kept == {"finding": "10⁻⁶", "panels": panels_of(figure)}


@pytest.mark.parametrize("name", FIGURE_NAMES)
def test_every_figures_first_view_equals_its_picture(name):
    """From golden tables: names, colours and order of the legend; a point within the range."""
    entry = FIGURES.get(name)
    use_style()
    figure = drawn(entry, reader(GOLDEN / entry.paper), "smoke").figure
    figure.draw_without_rendering()
    shown = panels_of(figure)
    plt.close(figure)
    assert shown
    curves = [curve for panel in shown for curve in panel["curves"]]
    ours = {}
    for curve in curves:
        ours.setdefault(curve["name"], set()).add(curve["colour"])
    for legend in figure.legends:
        drawn_names = [text.get_text() for text in legend.get_texts()]
        for handle, text in zip(legend.legend_handles, drawn_names, strict=True):
            if text in ours and isinstance(handle, Line2D):
                inks = {to_hex(handle.get_color()), to_hex(handle.get_markeredgecolor())}
                assert inks & ours[text], text
        own = {readable(line.get_gid() or "") for ax in figure.axes for line in ax.lines}
        assert ours.keys() <= {*drawn_names, *own, ""}  # a gid is the series of a direct label
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
