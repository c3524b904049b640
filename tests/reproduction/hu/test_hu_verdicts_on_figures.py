"""Verdict rules of what HU reads off its figures, driven as in test_hu_verdicts."""

import math

import pandas as pd
import pytest
from made_up_tables import table

from dpbandits.reproduction.hu import summaries as readings
from dpbandits.reproduction.hu.claims import figures

PANELS = [("linear", 0.5), ("equal", 1.0)]


def panels(**means):
    """Regret per algorithm: one number, or one per panel."""
    rows = [
        (name.replace("_", "-"), setting, epsilon, mean[i] if isinstance(mean, tuple) else mean)
        for name, mean in means.items()
        for i, (setting, epsilon) in enumerate(PANELS)
    ]
    columns = "algorithm setting epsilon mean"
    return table(columns, *rows, sem=0.0, metric="regret", t=100, runs=9)


@pytest.mark.parametrize(("low", "high", "expected"), [
    (0.7, 0.79, False), (0.7, 0.8, False), (0.7, 0.81, True), (1.24, 1.4, True),
    (1.25, 1.4, False), (1.26, 1.4, False), (0.9, 1.1, True),
])  # fmt: skip
def test_similar_is_within_a_quarter(low, high, expected):
    assert figures.similar({"low": low, "high": high}) == expected


@pytest.mark.parametrize(("se", "lazy", "clear", "expected"), [
    (101.0, 101.0, 4, "consistent"),
    (100.0, 101.0, 2, "consistent"),  # equal regret is not worse
    ((101.0, 99.0), 101.0, 3, "rejected"),
    (101.0, (99.0, 101.0), 3, "rejected"),
])  # fmt: skip
def test_lazy_dp_ts_must_not_be_worse_in_any_panel(se, lazy, clear, expected):
    data = panels(lazy_dp_ts=100.0, dp_se=se, anytime_lazy_ucb=lazy)
    half = {"fig1": data[data["setting"] == "linear"], "fig2": data[data["setting"] == "equal"]}
    finding = figures.better(half.get)
    beyond = any(plot["beyond"].any() for plot in finding.points)
    assert ("rejected" if beyond else "consistent") == expected
    assert (finding.numbers["clear"], finding.numbers["comparisons"]) == (clear, 4)


@pytest.mark.parametrize(("by_alpha", "expected", "best"), [
    ({1.0: (100.0, 100.0), 2.0: (300.0, 300.0)}, "consistent", 1),
    ({1.0: (300.0, 300.0), 2.0: (100.0, 300.0)}, "untestable", 2),
    ({1.0: (100.0, 300.0), 2.0: (300.0, 100.0)}, "untestable", 1),  # no alpha in both
])  # fmt: skip
def test_one_alpha_for_all_panels(by_alpha, expected, best):
    """A panel that the figures do not have is ignored."""
    data = panels(lazy_dp_ts=100.0)
    alphas = [panels(adap_klucb=m, adap_ucb=100.0).assign(alpha=a) for a, m in by_alpha.items()]
    other = alphas[0].assign(epsilon=7.0, mean=900.0)
    tables = {"fig1": data, "fig2": data.iloc[:0], "adap_alpha": pd.concat([*alphas, other])}
    finding = figures.some_alpha(tables.get)
    assert (finding.verdict, finding.numbers["best"]) == (expected, best)
    assert finding.numbers["most"] == pytest.approx(1 if expected == "consistent" else 3)
    assert finding.numbers["least"] == pytest.approx(1)


def test_readings_take_the_last_regret():
    rows = [("a", "regret", 5, 1.0), ("a", "regret", 9, 2.0), ("a", "pulls", 9, 3.0),
            ("b", "regret", 9, 4.0)]  # fmt: skip
    frame = table("algorithm metric t mean", *rows, sem=0.1)
    assert readings.final(frame)["mean"].tolist() == [2.0, 4.0]
    assert readings.final(frame, algorithm="b")["mean"].tolist() == [4.0]


def test_ratios_by_panel_with_their_errors():
    data = panels(a=2.0, b=4.0).assign(sem=0.1)
    found = figures.ratios_by_panel(figures.panels_of(data, "b"), figures.panels_of(data, "a"))
    spread = figures.Z_CLAIM * math.hypot(0.1 / 4, 0.1 / 2)
    assert found["value"].tolist() == [2, 2]
    assert found["high"].tolist() == pytest.approx([2 * math.exp(spread)] * 2)
