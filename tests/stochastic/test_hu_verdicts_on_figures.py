"""Verdict rules of what HU reads off its figures, driven as in test_hu_verdicts."""

import math

import pandas as pd
import pytest
from made_up_tables import one, table

from dpbandits.stochastic import readings
from dpbandits.stochastic.claims import (
    figures,
)
from dpbandits.stochastic.readings import Interval

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
    assert figures._within(Interval((low + high) / 2, low, high)) == expected


@pytest.mark.parametrize(("ratios", "expected"), [
    ((1.0, 1.0), "consistent"), ((1.0, 1.01), "rejected"), ((0.99, 1.0), "rejected"),
])  # fmt: skip
def test_the_same_algorithm_has_the_same_regret_in_every_panel(ratios, expected):
    both = panels(adap_ucb=tuple(100 * r for r in ratios), anytime_lazy_ucb=100.0)
    both = pd.concat([both, both.assign(t=10)])
    frames = {
        "fig1_long": both[both["setting"] == "linear"],
        "fig2_long": both[both["setting"] == "equal"],
        "fig1": both[both["t"] == 100], "fig2": both.iloc[:0],
        "adap_alpha": pd.concat([both.assign(alpha=a) for a in (3.0, 6.0)]),
    }  # fmt: skip
    same, rate = figures.adap_ucb_is_lazy_ucb(frames.get)
    assert (same.verdict, rate.verdict) == (expected, "holds")
    said = same.repaired, same.repaired_verdict, same.repaired_method
    rate_alone = "the two have the same rate, not the same regret", "holds", "proof"
    assert said == (rate_alone if expected == "rejected" else ("", "", ""))
    assert f"in {sum(r != 1 for r in ratios)} of 2 panels" in same.measured


@pytest.mark.parametrize(("klucb", "se", "lazy", "expected"), [
    (100.0, 101.0, 101.0, ("consistent", "consistent")),
    (100.0, 100.0, 101.0, ("consistent", "consistent")),  # not worse
    ((124.0, 81.0), 101.0, 101.0, ("consistent", "consistent")),
    ((100.0, 126.0), 101.0, 101.0, ("rejected", "consistent")),
    ((79.0, 100.0), 101.0, 101.0, ("rejected", "consistent")),
    (100.0, (101.0, 99.0), 101.0, ("consistent", "rejected")),
    (100.0, 101.0, (99.0, 101.0), ("consistent", "rejected")),
])  # fmt: skip
def test_readings_of_section_6_panel_by_panel(klucb, se, lazy, expected):
    data = panels(lazy_dp_ts=100.0, adap_klucb=klucb, dp_se=se, anytime_lazy_ucb=lazy)
    alpha = panels(adap_klucb=200.0).assign(alpha=1.0)
    frames = {"fig1": data, "fig2": data.iloc[:0], "adap_alpha": alpha}
    printed, some, better = figures.section_6(frames.get)
    assert (printed.verdict, better.verdict) == expected
    assert some.verdict == "rejected"
    assert bool(printed.repaired) == (expected[0] == "rejected")
    each = [x if isinstance(x, tuple) else (x, x) for x in (se, lazy)]
    clear = sum(x > 100 for pair in each for x in pair)
    assert better.measured.startswith(f"clearly so in {clear} of 4 comparisons")


@pytest.mark.parametrize(("by_alpha", "expected", "best"), [
    ({1.0: (100.0, 100.0), 2.0: (300.0, 300.0)}, "consistent", 1),
    ({1.0: (300.0, 300.0), 2.0: (100.0, 300.0)}, "rejected", 2),
    ({1.0: (100.0, 300.0), 2.0: (300.0, 100.0)}, "rejected", 1),  # each panel, but no alpha in both
])  # fmt: skip
def test_one_alpha_for_all_panels(by_alpha, expected, best):
    data = panels(lazy_dp_ts=100.0)
    alphas = [panels(adap_klucb=m, adap_ucb=100.0).assign(alpha=a) for a, m in by_alpha.items()]
    found = figures._some_alpha(one(pd.concat(alphas)), data)
    assert found.verdict == expected
    assert (f"alpha = {best} comes nearest" in found.repaired) == (expected == "rejected")


@pytest.mark.parametrize(("ratios", "expected"), [
    ((1.0, 1.2, 0.81, 1.24, 9.0), "consistent"),  # the four smallest eps alone
    ((1.0, 1.2, 0.81, 1.26, 1.0), "rejected"),
    ((0.79, 1.0, 1.0, 1.0, 1.0), "rejected"),
])  # fmt: skip
def test_the_coefficient_at_the_four_smallest_epsilons(ratios, expected):
    rows = [
        (name, e, mean)
        for e, r in zip((0.01, 0.02, 0.05, 0.1, 1.0), ratios, strict=True)
        for name, mean in (("lazy-dp-ts", 100 * r), ("adap-klucb", 100.0))
    ][::-1]
    made = table("algorithm epsilon mean", *rows, sem=1e-9, metric="regret", t=9, setting="s")
    found = figures.privacy_coefficient(one(made))
    assert found.verdict == expected
    assert bool(found.repaired) == (expected == "rejected")


def test_what_is_read_is_the_last_regret_at_the_same_place():
    rows = [("a", "regret", 5, 1.0), ("a", "regret", 9, 2.0), ("a", "pulls", 9, 3.0),
            ("b", "regret", 9, 4.0)]  # fmt: skip
    made = table("algorithm metric t mean", *rows, sem=0.1)
    assert readings.final(made)["mean"].tolist() == [2.0, 4.0]
    assert readings.final(made, algorithm="b")["mean"].tolist() == [4.0]
    found = readings.ratio_of(made, "b", "a", z=1.0)
    assert found.value == 2
    assert found.high == pytest.approx(2 * math.exp(math.hypot(0.1 / 4, 0.1 / 2)))
    ours = table("setting epsilon", ("x", 1.0)).set_index(["setting", "epsilon"])
    theirs = table("setting epsilon n", ("x", 1.0, 1), ("x", 2.0, 2), ("y", 1.0, 3))
    assert readings.beside(ours, theirs)["n"].tolist() == [1]
