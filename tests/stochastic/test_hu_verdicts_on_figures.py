"""Verdict rules of what HU reads off its figures, driven as in test_hu_verdicts."""

import math

import pandas as pd
import pytest
from made_up_tables import one, table

from dpbandits.core.statistics import Interval
from dpbandits.stochastic import readings
from dpbandits.stochastic.claims import figures

# What the figures show ------------------------------------------------------------------------

PANELS = [("linear", 0.5), ("equal", 1.0)]


def panels(**means):
    """Regret per algorithm: one number, or one per panel."""
    rows = [
        (name, setting, epsilon, each[i] if isinstance(each, tuple) else each)
        for name, each in means.items()
        for i, (setting, epsilon) in enumerate(PANELS)
    ]
    made = table("algorithm setting epsilon mean", *rows, sem=0.0, metric="regret", t=100, runs=9)
    return made.assign(algorithm=made["algorithm"].str.replace("_", "-"))


@pytest.mark.parametrize(("low", "high", "expected"), [
    (0.7, 0.79, False), (0.7, 0.8, False), (0.7, 0.81, True), (1.24, 1.4, True),
    (1.25, 1.4, False), (1.26, 1.4, False), (0.9, 1.1, True),
])  # fmt: skip
def test_similar_is_within_a_quarter(low, high, expected):
    assert figures.similar(Interval((low + high) / 2, low, high)) == expected


@pytest.mark.parametrize(("se", "lazy", "expected"), [
    (101.0, 101.0, "consistent"), (100.0, 101.0, "consistent"),  # not worse
    ((101.0, 99.0), 101.0, "rejected"), (101.0, (99.0, 101.0), "rejected"),
])  # fmt: skip
def test_lazy_dp_ts_must_not_be_worse_in_any_panel(se, lazy, expected):
    found = figures.better(panels(lazy_dp_ts=100.0, dp_se=se, anytime_lazy_ucb=lazy))
    assert found.verdict == expected
    each = [x if isinstance(x, tuple) else (x, x) for x in (se, lazy)]
    clear = sum(x > 100 for pair in each for x in pair)
    assert (found.numbers["clear"], found.numbers["comparisons"]) == (clear, 4)


@pytest.mark.parametrize(("by_alpha", "expected", "best"), [
    ({1.0: (100.0, 100.0), 2.0: (300.0, 300.0)}, "consistent", 1),
    ({1.0: (300.0, 300.0), 2.0: (100.0, 300.0)}, "rejected", 2),
    ({1.0: (100.0, 300.0), 2.0: (300.0, 100.0)}, "rejected", 1),  # each panel, but no alpha in both
])  # fmt: skip
def test_one_alpha_for_all_panels(by_alpha, expected, best):
    data = panels(lazy_dp_ts=100.0)
    alphas = [panels(adap_klucb=m, adap_ucb=100.0).assign(alpha=a) for a, m in by_alpha.items()]
    found = figures.some_alpha(one(pd.concat(alphas)), data)
    assert (found.verdict, found.numbers["best"]) == (expected, best)
    assert found.numbers["farthest"] == pytest.approx(1 if expected == "consistent" else 3)


def test_what_is_read_is_the_last_regret_at_the_same_place():
    rows = [("a", "regret", 5, 1.0), ("a", "regret", 9, 2.0), ("a", "pulls", 9, 3.0),
            ("b", "regret", 9, 4.0)]  # fmt: skip
    made = table("algorithm metric t mean", *rows, sem=0.1)
    assert readings.final(made)["mean"].tolist() == [2.0, 4.0]
    assert readings.final(made, algorithm="b")["mean"].tolist() == [4.0]
    found = readings.ratio_of(made, "b", "a", z=1.0)
    assert found.value == 2
    assert found.high == pytest.approx(2 * math.exp(math.hypot(0.1 / 4, 0.1 / 2)))
