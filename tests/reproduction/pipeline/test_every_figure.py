"""Every figure as it is drawn, the settings beside it, and the epsilon that its curves state.

Figures are drawn from the smoke tables of tests/golden, those of claims from made-up points.
"""

import re

import numpy as np
import pytest
from drawings import ALL, LEDGER, drawing, golden, sums
from matplotlib.container import ErrorbarContainer
from scratch import ROOT

from dpbandits.core.algorithms import algorithms
from dpbandits.core.documents import read_yaml
from dpbandits.core.models import parse
from dpbandits.reproduction.fl.figures import contexts
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline.config import PaperConfig
from dpbandits.reproduction.pipeline.figures import configured
from dpbandits.reproduction.plots.style import look, not_private, privacy_of

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


def picture(name):
    return drawing(name).figure


@pytest.mark.parametrize("name", ALL)
def test_drawing_is_the_golden_one(name):
    """No line, label, limit or number of a figure changes unnoticed."""
    assert sums(name) == golden().get(name), "new or changed? look at it, then: make golden"


def marks(ax):
    """Each line with its label; of error bars the container has the label."""
    bars = [c for c in ax.containers if isinstance(c, ErrorbarContainer)]
    own = {c.lines[0]: str(c.get_label()) for c in bars}
    return [(line, own.get(line, str(line.get_label()))) for line in ax.lines]


REAL = re.compile(r"not private at (any)|private at ([\d.]+)")


def stated_and_certified(name):
    """(curve, epsilon drawn, epsilon in the label, certified epsilon) of labelled curves."""
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
                factor = float(real[2] or "inf") if real else 1.0
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
    assert refuted == {"rnm-ftnl", "fliphat-presets"}
    for series, (_, own) in SERIES.items():
        proved = own.with_.get("variant", "printed") != "printed"
        proved |= own.with_.get("preset", "released") in ("corrected", "zcdp")
        if own.name in refuted and "converged" not in series:
            assert (series in not_private()) != proved, series
    loss = LEDGER.set_index("id").loc["HU-T8"]
    most = max(float(x) for x in re.findall(r"([\d.]+) \$\\epsilon\$ \(", loss["measured"]))
    assert privacy_of("rnm-ftnl") == f"private at {most:g} ε, not at ε"
    assert loss["supremum"].startswith(f"{most:g},")


def test_each_learner_with_contexts_has_a_colour_of_its_own():
    assert len({look(name)["color"] for name in contexts.NAMES}) == len(contexts.NAMES)


@pytest.mark.parametrize(("name", "parts"), [
    ("fl/fig1_left", ["d = 400; arms = 3; sparsity = 10; true sparsity = 5", "delta = 0.01",
                      "reward noise = gaussian;", "ε = 1; T = 600; runs = 2"]),
    ("fl/fig1_right", ["d = 40, 80; ε = 0.5, 1, 2, 5; T = 300; runs = 2"]),
    ("fl/fig3_left_presets", ["d = 400", "true sparsity = 10; sparsity = 10, 20", "runs = 2"]),
    ("hu/open_problem", ["epsilon over gap = 0.25;"]),  # of 1 and 0.25
    ("hu/adap_alpha", ["means = 0.75, 0.625, 0.5, 0.375, 0.25 / 0.5, 0.4, 0.4, 0.4, 0.4"]),
    ("us/gamma", ["dim = 1;", "tau = 1;", "T = 64, 128; runs = 2; delta = 0.1"]),
    ("us/rivals", ["kernel = se; dim = 1"]),
    ("us/rates", ["dim = 1 / 2", "context law = uniform / beta"]),
])  # fmt: skip
def test_settings_by_hand(name, parts):
    """Those that the config leaves at their default too; of several values only what is drawn."""
    said = configured(FIGURES[name], drawing(name), "smoke")
    assert not [part for part in parts if part not in said]
