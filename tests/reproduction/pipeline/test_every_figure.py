"""Every figure as it is drawn: layout, the text beside it, and the epsilon that its curves state.

Figures are drawn from the smoke tables of tests/golden, those of claims from made-up points.
"""

import itertools
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from drawings import ALL, LEDGER, drawing, golden, sums
from matplotlib.colors import to_rgb
from matplotlib.container import ErrorbarContainer
from scratch import ROOT

from dpbandits.core.algorithms import algorithms
from dpbandits.core.documents import read_yaml
from dpbandits.core.models import parse
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline.config import PaperConfig
from dpbandits.reproduction.pipeline.figures import configured
from dpbandits.reproduction.plots.style import PIXELS, WIDTHS, look, not_private, privacy_of
from dpbandits.reproduction.plots.words import readable

FIGURES = {name: f for name, f in ALL.items() if f.folder == "tables"}
EXPERIMENTS = [
    (key, experiment)
    for key in papers()
    if (ROOT / f"config/{key}.yaml").is_file()
    for experiment in parse(
        PaperConfig, read_yaml(ROOT / f"config/{key}.yaml"), key
    ).experiments.values()
]
SERIES = {series.id: (key, series) for key, e in EXPERIMENTS for series in e.algorithms}
INSTANCES = {  # series -> its algorithm, and one full setting
    series.id: (series.name, {k: v[0] for k, v in e.vary.items()} | given | series.with_)
    for _, e in EXPERIMENTS
    for given in list(e.settings.values())[:1]
    for series in e.algorithms
}
for variant in ("corrected", "permute-and-flip", "gumbel", "prefix", "phase"):
    INSTANCES[f"rnm-ftnl-{variant}"] = "rnm-ftnl", {"means": [0.6, 0.5], "variant": variant}
INSTANCES["rnm-ftnl"] = "rnm-ftnl", {"means": [0.6, 0.5], "variant": "printed"}
PRIVATE = {written(n) for n, a in algorithms().items() if a.private for written in (str, readable)}


def picture(name):
    return drawing(name).figure


@pytest.mark.parametrize("name", ALL)
def test_drawing_is_the_golden_one(name):
    """No line, label, limit or number of a figure changes unnoticed."""
    assert sums(name) == golden()[name]


@pytest.mark.parametrize("name", ALL)
def test_no_text_overlaps_or_leaves_the_canvas(name):
    """Panels with their labels, and the legend."""
    canvas = picture(name)
    assert canvas.get_figwidth() * PIXELS == WIDTHS[ALL[name].width]
    assert not canvas.texts  # title and settings stand beside the picture
    boxes = [("legend", legend.get_window_extent()) for legend in canvas.legends]
    panels = [ax for ax in canvas.axes if ax.get_visible() and ax.axison]
    boxes += [(f"panel {i}", ax.get_tightbbox()) for i, ax in enumerate(panels)]
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        assert not a.padded(-1).overlaps(b.padded(-1)), (one, other)
    for name, box in boxes:
        assert canvas.bbox.padded(2).contains(*box.min), name
        assert canvas.bbox.padded(2).contains(*box.max), name


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_in_a_panel_covers_a_point(name):
    for ax in picture(name).axes:
        points = [ax.transData.transform(line.get_xydata()) for line in ax.lines if line.get_gid()]
        for text in ax.texts:
            box = text.get_window_extent()
            assert not any(box.contains(*place) for own in points for place in own), text


def handles(ax):
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        line = handle[0] if isinstance(handle, tuple) else handle
        if isinstance(line, plt.Line2D):
            yield line, label


def look_of(line):
    """Line and fill colour, and the shape: dash, marker, hollow or not."""
    filled = to_rgb(line.get_markerfacecolor()) if line.get_markerfacecolor() != "none" else "none"
    shape = line.get_linestyle(), line.get_marker(), filled == "none"
    return (to_rgb(line.get_color()), filled), shape


@pytest.mark.parametrize("name", ALL)
def test_each_series_has_one_look_that_differs_from_the_others(name):
    """Of two with the same shape one is filled or much lighter, so that grey distinguishes them
    (colours alone: tests/reproduction/plots/test_palette.py)."""
    looks = {}
    for ax in picture(name).axes:
        for line, label in handles(ax):
            assert looks.setdefault(label, look_of(line)) == look_of(line), f"{label}: two looks"
    for (one, (a, shape)), (other, (b, other_shape)) in itertools.combinations(looks.items(), 2):
        if shape == other_shape:
            filled = a[1] != b[1] and np.abs(np.subtract(a[1], b[1])).max() > 0.3
            lightness = np.subtract(a[0], b[0]) @ [0.299, 0.587, 0.114]
            assert filled or abs(lightness) > 0.12, (one, other)


def marks(ax):
    """Each line with its label; of error bars the container has the label."""
    bars = [c for c in ax.containers if isinstance(c, ErrorbarContainer)]
    own = {c.lines[0]: str(c.get_label()) for c in bars}
    return [(line, own.get(line, str(line.get_label()))) for line in ax.lines]


@pytest.mark.parametrize("name", FIGURES)
def test_labels_of_bands_bars_and_scatters_state_no_epsilon(name):
    """Nor the name of a private algorithm: that is a curve's, whose label is tested below."""
    for ax in picture(name).axes:
        for label in (str(artist.get_label()) for artist in [*ax.collections, *ax.patches]):
            assert label.startswith("_") or label.split(" (")[0] not in PRIVATE, label
            assert not re.search(r"ε = (?!∞)", label), label


def test_algorithms_of_a_figure_have_different_colours_and_all_have_different_looks():
    drawn = {}
    for name, entry in FIGURES.items():
        for line in (line for ax in picture(name).axes for line in ax.lines):
            gid = line.get_gid()
            if (gid in SERIES or gid in algorithms()) and len(line.get_xdata()):
                drawn.setdefault((entry.paper, name), set()).add(gid)
    assert {paper for paper, _ in drawn} == {"fl", "hu", "us"}  # KL has no algorithm's series
    for figure, names in drawn.items():
        colours = {n: look(n)["color"] for n in names}
        assert len(set(colours.values())) == len(names), (figure, colours)
    known = [n for paper in papers().values() for n in paper.looks if n != "fliphat"]
    looks = {(look(n)["color"], look(n)["marker"]) for n in known}
    assert len(looks) == len(known)  # "fliphat" alone is another's name, of fliphat-released


@pytest.mark.parametrize("name", FIGURES)
def test_curves_without_the_stated_epsilon_are_dashed_and_labelled(name):
    """Every curve with an epsilon has the name of its series as its gid."""
    for ax in picture(name).axes:
        for line, label in marks(ax):
            gid = line.get_gid()
            known = {*SERIES, *algorithms(), *not_private(), "ε = ∞"}
            if gid not in known and not str(gid).startswith("rnm-ftnl-"):
                assert label.split(" (")[0] not in PRIVATE, label
                assert not re.search(r"ε = (?!∞)", label), (gid, label)
                continue
            said = f"{label} {ax.get_title()}"
            if gid in not_private() and line.get_linestyle() not in (":", "None"):
                assert line.get_linestyle() == "--", said
                own = not label.startswith("_")
                assert not own or privacy_of(gid) in said
            elif not label.startswith("_") and getattr(algorithms().get(gid), "private", True):
                assert not re.search("not private|not at ε", said) or gid == "ε = ∞", said
            if gid.startswith("fliphat-") and not label.startswith("_"):
                preset = SERIES[gid][1].with_.get("preset", "released")
                assert preset in said, said


REAL = re.compile(r"(?:not private: real ε [=≥]|private at) (∞|[\d.]+)")


def stated_and_certified(name):
    """(curve, epsilon drawn, real epsilon in the label, certified epsilon) of labelled curves."""
    for ax in picture(name).axes:
        for line, label in marks(ax):
            gid = line.get_gid()
            if gid not in INSTANCES or label.startswith("_"):
                continue
            algorithm, setting = INSTANCES[gid]
            shown = re.search(r"ε = (∞|[\d.]+)", f"{label.split('(')[0]} {ax.get_title()}")
            epsilon = 1.0 if shown is None else float(shown[1].replace("∞", "inf"))
            if algorithms()[algorithm].private and np.isfinite(epsilon):
                real = REAL.search(f"{label} {ax.get_title()}")
                factor = float(real[1].replace("∞", "inf")) if real else 1.0
                true = algorithms()[algorithm].real_epsilon(setting, epsilon)
                yield f"{gid}: {label}", epsilon, factor * epsilon, true


def test_stated_epsilon_is_the_certified_one():
    """If the label says nothing, the algorithm has the drawn epsilon; else the real one is at least
    what the label says, and infinite if it says so."""
    cases = [case for name in FIGURES for case in stated_and_certified(name)]
    for curve, epsilon, stated, certified in cases:
        if stated == epsilon:
            assert certified <= epsilon, curve
        else:
            assert epsilon < stated <= certified, curve
            assert np.isinf(certified) == np.isinf(stated), curve
    false = [case for case in cases if case[1] != case[2]]
    assert len(cases) - len(false) > 50
    assert {case[0].split(":")[0] for case in false} >= {"rnm-ftnl", "fliphat-released"}


def test_series_without_their_epsilon_are_those_that_the_ledger_refutes():
    """Those whose claim is refuted, except for corrected variants."""
    printed = LEDGER[LEDGER["reading"] == "printed"].set_index("id")["verdict"]
    refuted = {n for n, a in algorithms().items() if printed.get(a.claim) == "violated"}
    assert refuted == {"rnm-ftnl", "fliphat"}
    for series, (_, own) in SERIES.items():
        proved = own.with_.get("variant", "printed") != "printed"
        proved |= own.with_.get("preset", "released") in ("corrected", "zcdp")
        if own.name in refuted and "converged" not in series:
            assert (series in not_private()) != proved, series
    loss = LEDGER.set_index("id").loc["HU-T8"]
    most = max(float(x) for x in re.findall(r"([\d.]+) \$\\epsilon\$ \(", loss["measured"]))
    assert privacy_of("rnm-ftnl") == f"private at {most:g} ε, not at ε"
    assert loss["supremum"].startswith(f"{most:g},")


def test_what_the_config_has_is_said_beside_a_figure():
    """The parameters at the scale of the tables; without one, those of every scale."""
    entry = FIGURES["kl/utility_vs_privacy"]
    smoke = read_yaml(ROOT / "config/kl.yaml")["studies"]["utility_vs_privacy"]["scales"]["smoke"]
    for scale in ("smoke", None):
        said = configured(entry, drawing(entry.name), scale)
        assert "coverage = 0.5; gap = 0.2" in said
        assert (f"preferences = {smoke['preferences']}" in said) == (scale == "smoke")


@pytest.mark.parametrize(("name", "parts"), [
    ("fl/fig1_left", ["d = 400; arms = 3; sparsity = 10; true sparsity = 5", "delta = 0.01",
                      "reward noise = gaussian;", "ε = 0.5, 1, 2, 5, 10; T = 20,000; runs = 60"]),
    ("fl/fig1_right", ["d = 400 to 4,000; ε = 0.5, 1, 2, 5; T = 10,000; runs = 60"]),
    ("fl/fig3_left_presets", ["d = 400", "true sparsity = 10", "runs = 60 / 6"]),
    ("hu/adap_alpha", ["means = 0.75, 0.625, 0.5, 0.375, 0.25 / 0.5, 0.4, 0.4, 0.4, 0.4"]),
    ("us/gamma", ["dim = 1;", "tau = 1;", "T = 64 to 16,384; runs = 8; delta = 0.1"]),
    ("us/rivals", ["kernel = se; dim = 1"]),
    ("us/rates", ["dim = 1 / 2", "context law = uniform / beta"]),
])  # fmt: skip
def test_settings_by_hand(name, parts):
    """Those that the config leaves at their default too; of experiments only the settings drawn."""
    said = configured(FIGURES[name], drawing(name), "paper")
    assert not [part for part in parts if part not in said]
