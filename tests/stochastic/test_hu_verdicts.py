"""Every verdict rule of HU's claims driven both ways, each condition alone, on made-up tables.

All exact: nothing flakes. What a row says on the pipeline's tables is looked at in
tests/pipeline/test_ledger_golden.py; whether a certificate refutes, in tests/certificates.
"""

import math

import numpy as np
import pandas as pd
import pytest
from flint import arb
from made_up_tables import one, table

from dpbandits.stochastic import readings
from dpbandits.stochastic.claims import (
    facts,
    figures,
    full_information,
    lemma_24,
    lemmas,
    optimal_rate,
    privacy,
    regret,
)
from dpbandits.stochastic.readings import Interval

LN_4, LN_5 = math.log(4), math.log(5)


def word(found):
    return (found[0] if isinstance(found, list) else found).verdict


# Regret in full information -------------------------------------------------------------------

SWEEP = "arms gap epsilon horizon mean"
SWEPT = {"vary": "gap", "value": 1.0, "best": "last", "runs": 9, "sem": 0.0}


def test_a_proved_bound_stands_until_a_run_is_clearly_beyond_it():
    """(mean - spread)/bound: exactly 1 is no contradiction; the largest row decides."""
    for rows, expected in (
        ([(1.5, 0.5, 1.0)], "holds"),
        ([(1.5, 0.4, 1.0)], "untestable"),
        ([(0.1, 0.0, 1.0), (3.0, 0.0, 2.0)], "untestable"),
        ([(3.0, 0.0, 4.0), (0.1, 0.0, 1.0)], "holds"),
    ):
        frame = table("mean spread bound", *rows, vary="gap", best="last", value=1.0)
        found = full_information.proved(frame, "x", "y", reading="r")
        assert (found.verdict, found.method, found.reading) == (expected, "proof", "r")
        assert full_information.proved(frame, "x", "y").reading == "printed"


def test_sweeps_take_one_series_and_its_coordinates():
    frame = table(
        f"algorithm {SWEEP}", ("a", 2, 0.3, 0.04, 5, 1), ("b", 9, 9, 9, 9, 9), ("a", 1, 0, 0, 0, 1),
        **SWEPT | {"sem": 0.5},
    )  # fmt: skip
    bound = lambda k, gap, e, t: k + 10 * gap + 100 * e + 1000 * t  # noqa: E731
    found = full_information.sweeps(one(frame), "a", bound, lambda row: row["arms"] > 1)
    assert found["bound"].tolist() == [5009]
    assert found["spread"].tolist() == [0.5 * readings.Z_CLAIM]
    assert 4.8 < readings.Z_CLAIM < 4.9  # two-sided at 1e-6


LIMITS = [  # claim, series, what it allows at K = 5, gap 0.2, eps 0.1, T = 1000, worked out by hand
    # 512 (1 + ln 4)/gap + 1, where the gap is at most eps
    (full_information.corollary_10a, "rnm-ftnl", 0.2, 2560 * (1 + LN_4) + 1),
    (full_information.corollary_10b, "rnm-ftnl", 0.1, 5120 * (1 + LN_4) + 1),
    (full_information.corollary_10b, "rnm-ftnl", 0.9, 2560 * (1 + LN_4) + 1),
    # eps/K in place of eps
    (full_information.naive_ftnl, "ftnl", 0.1, 25600 * (1 + LN_4) + 1),
    (facts.follow_the_leader, "ftl", 0.1, 1 + 20 * (1 + LN_5)),
]


@pytest.mark.parametrize(("claim", "series", "epsilon", "limit"), LIMITS)
def test_regret_at_the_limit_and_just_beyond(claim, series, epsilon, limit):
    for share, expected in ((1 - 1e-12, "holds"), (1 + 1e-6, "untestable")):
        row = (series, 5, 0.2, epsilon, 1000, share * limit)
        other = ("other", 5, 0.2, epsilon, 1000, 1e9)
        assert word(claim(one(table(f"algorithm {SWEEP}", row, other, **SWEPT)))) == expected


def test_corollary_11_at_its_limit():
    """T Delta* + 512 w/Delta* + 256 w 2/eps + 1 at eps = 0.3 (see test_hu_formulas)."""
    w, critical = 1 + math.log(16), math.sqrt(math.log(16)) / 100
    limit = 1e4 * critical + 512 * w / critical + 256 * w * 2 / 0.3 + 1
    for share, expected in ((1 - 1e-12, "holds"), (1 + 1e-6, "untestable")):
        frame = table(f"algorithm {SWEEP}", ("rnm-ftnl", 16, 0.2, 0.3, 1e4, share * limit), **SWEPT)
        assert word(full_information.corollary_11(one(frame))) == expected


def test_corollary_10a_leaves_out_what_it_does_not_speak_of():
    """A gap equal to eps belongs to it, a larger one does not."""
    small = ("rnm-ftnl", 5, 0.2, 0.2, 1000, 1.0)
    large = ("rnm-ftnl", 5, 0.2, 0.1999, 1000, 1e9)
    frame = table(f"algorithm {SWEEP}", small, large, **SWEPT)
    assert word(full_information.corollary_10a(one(frame))) == "holds"
    frame = table(f"algorithm {SWEEP}", (*small[:5], 1e9), **SWEPT)
    assert word(full_information.corollary_10a(one(frame))) == "untestable"


def test_theorem_9_looks_at_both_tables_and_at_its_series_alone():
    """256 (1 + ln 4)/0.1 for four gaps of 0.2 at eps = 0.1; the other table brings its bound."""
    limit = 2560 * (1 + LN_4)

    def found(swept, doubling, other=1.0):
        frames = {
            "full_information": table(
                f"algorithm {SWEEP}",
                ("rnm-ftnl", 5, 0.2, 0.1, 1000, swept), ("ftl", 5, 0.2, 0.1, 1000, 1e9), **SWEPT,
            ),
            "conjecture": table(
                "algorithm instance arms epsilon_over_gap theorem9 mean sem",
                ("rnm-ftnl", "equal", 3, 1.0, 50.0, doubling, 0.0),
                ("rnm-ftnl-phase", "equal", 3, 1.0, 50.0, 1e9, 0.0),
            ),
        }  # fmt: skip
        return full_information._first_form(frames.get).verdict

    assert found(limit * (1 - 1e-12), 50.0) == "holds"
    assert found(limit * (1 + 1e-6), 50.0) == "untestable"
    assert found(1.0, 50.001) == "untestable"


# Privacy --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("quadrature", "enumeration", "expected"), [
    (0.5, 0.5, "holds"),
    (0.5 + 4e-6, 0.5, "holds"),  # eps = 1/2, but for the quadrature's error of 1e-5 eps
    (0.5 + 6e-6, 0.5, "untestable"),
    (0.4, 0.4 + 9e-6, "holds"),
    (0.4, 0.4 + 2e-5, "untestable"),  # the two methods must agree
    (0.4 + 2e-5, 0.4, "untestable"),
])  # fmt: skip
def test_lazy_losses(quadrature, enumeration, expected):
    losses = {(1.0, 3): (0.9, 0.9), (0.5, 8): (quadrature, enumeration)}
    assert privacy._lazy_verdict(losses, "x").verdict == expected


def test_losses_at_the_ends_of_what_quadrature_may_err(monkeypatch):
    monkeypatch.setattr(privacy, "_lazy_points", lambda losses: ())
    for both in ((1 + 1e-5, 1 + 1e-5), (0.0, 1e-5)):
        assert privacy._lazy_verdict({(1.0, 3): both}, "x").verdict == "holds"


def loses(share):
    """A stand-in for the certified loss of Laplace noise of that scale: share of 1/scale."""
    return lambda scale, arms, rounds, adjacency: arb(share / scale)


@pytest.mark.parametrize(("share", "expected"), [
    (1.9, "violated"), (0.9, "untestable"), (1.0, "untestable"),
])  # fmt: skip
def test_theorem_8_and_the_abstract_fall_with_the_certified_loss(share, expected, monkeypatch):
    monkeypatch.setattr(privacy, "pure_loss", loses(share))
    monkeypatch.setattr(privacy, "climb", lambda *_, **__: (1.0, None, 0))
    monkeypatch.setattr(full_information, "pure_loss", loses(share))
    runs = table("algorithm mean upper", ("rnm-ftnl-phase", 1.0, 2.0))
    for check in (privacy.rnm_ftnl_is_private, full_information.abstract):
        if expected == "violated":
            assert word(check(one(runs))) == expected
        else:  # nothing may be said, nor shown
            try:
                assert word(check(one(runs))) == expected
            except ValueError as error:
                assert "beyond" in str(error)  # noqa: PT017


# Lemmas ---------------------------------------------------------------------------------------


ROUNDED = [(1.0, "holds"), (1 + 1e-9, "holds"), (1 + 1e-8, "untestable")]


@pytest.mark.parametrize(("largest", "expected"), ROUNDED)
def test_lemma_24_at_its_limit(largest, expected, monkeypatch):
    """One of 13 x 4 x 7 x 5 cases is enough."""
    tightest = lambda r, best, gap, e: largest if (r, best, gap) == (3, 0.6, 0.3) else 0.5  # noqa: E731
    monkeypatch.setattr(lemma_24, "lemma_24_tightness", tightest)
    if largest > 1:
        monkeypatch.setattr(lemma_24, "points", lambda *_, **__: EMPTY)
    assert word(lemma_24.lemma_24(None)) == expected


EMPTY = pd.DataFrame({"beyond": [False]})


def test_lemma_24_asks_for_gaps_that_exist(monkeypatch):
    """No mean below 0; the gap may be all of the best mean."""
    asked = []
    monkeypatch.setattr(lemma_24, "lemma_24_tightness", lambda *case: asked.append(case) or 0.5)
    found = lemma_24.lemma_24(None)
    assert "(r = 0, means 0.3, 0.29, eps = 0.01)" in found.measured  # the first of equals
    assert {(best, gap) for _, best, gap, _ in asked} == {
        (best, gap)
        for best in (0.3, 0.6, 0.9, 1.0)
        for gap in (0.01, 0.05, 0.1, 0.2, 0.3, 0.6, 0.9)
        if gap <= best
    }


@pytest.mark.parametrize(("largest", "expected"), ROUNDED)
def test_lemma_6_at_its_limit(largest, expected, monkeypatch):
    sides = np.array([1.0, largest, 0.2]), np.array([2.0, 1.0, 1.0])
    monkeypatch.setattr(lemmas, "lemma_6_sides", lambda states: sides)
    if largest > 1:
        monkeypatch.setattr(lemmas, "points", lambda *_, **__: EMPTY)
    assert word(lemmas.lemma_6(None)) == expected


@pytest.mark.parametrize(("terms", "expected"), [
    ({6: 0.19, 14: 0.01}, "holds"),  # 0.19 + 0.01 + 2 0.01
    ({6: 0.2}, "untestable"),
    ({6: 0.1, 14: 0.1}, "untestable"),  # 0.1 + 0.1 + 2 0.1: not below 0.4
    ({6: 0.1, 13: 0.1, 14: 0.06}, "holds"),
])  # fmt: skip
def test_lemma_19_at_its_limits(terms, expected, monkeypatch):
    monkeypatch.setattr(lemmas, "lemma_19_term", lambda s: terms.get(s, 0.0))
    if terms[6] >= 0.2:
        monkeypatch.setattr(lemmas, "points", lambda *_, **__: EMPTY)
    assert word(lemmas.lemma_19(None)) == expected


def test_lemma_20_by_hand_and_with_a_shorter_epoch(monkeypatch):
    """gap = eps = 1, T = 10^9: 72 ln T = 1492 <= 2^11; (sqrt(3 ln T/2048) + 6 ln T/2048)."""
    drawn = lemmas.lemma_20(None).points
    level = 3 * math.log(1e9) / 2048
    own = next(p for p in drawn if p["series"].iloc[0] == "ε = 1, T = 1e+09")
    assert own["measured"].iloc[-1] == pytest.approx(math.sqrt(level) + 2 * level)
    plain = lemmas.sufficient_epoch
    monkeypatch.setattr(lemmas, "sufficient_epoch", lambda *args: plain(*args) - 2)
    monkeypatch.setattr(lemmas, "points", lambda *_, **__: EMPTY)
    assert word(lemmas.lemma_20(None)) == "untestable"


@pytest.mark.parametrize(("least", "expected"), [
    (1.06, "violated"), (1.05, "untestable"), (1.04, "untestable"),
])  # fmt: skip
def test_step_46_needs_all_epsilons_clearly_above(least, expected, monkeypatch):
    """0.008 at t = 5; the smallest of the scan decides."""
    chances = dict.fromkeys((0.25, 0.5, 1.0, 2.0), 1.1 / 125) | {4.0: least / 125}
    monkeypatch.setattr(lemmas, "noise_of_an_arm_that_stays", chances.get)
    assert lemmas.lemma_23(None)[1].verdict == expected


def test_sums_of_lemmas_22_and_23_start_at_their_first_term():
    """t = 3: 2 2 3^-6 and 2 3^-3, as log 2 + 1 = 2."""
    for check, first in ((lemmas.lemma_22, 4 / 729), (lemmas.lemma_23, 2 / 27)):
        found = check(None)
        drawn = (found[0] if isinstance(found, list) else found).points[0]
        assert drawn["measured"].iloc[0] == pytest.approx(first)
        assert drawn["x"].iloc[0] == "3"


def test_side_of_lemma_6_in_closed_form():
    """Two uniform draws (Beta(1, 1)), y = 1/2. Arm 1 wins below y: P(both below, 1 largest) = 1/8.
    Arm 0 wins and draw 1 is at most y: 1/2 - 1/8 = 3/8."""
    a = b = np.ones(2)
    assert lemmas._wins_below(a, b, 0.5, 1, reach=0.5) == pytest.approx(1 / 8)
    assert lemmas._wins_below(a, b, 0.5, 0, reach=1.0) == pytest.approx(3 / 8)


# Lower bounds and the optimal rate ------------------------------------------------------------

CLASS = "algorithm arms gap epsilon mean sem"


@pytest.mark.parametrize(("rows", "expected"), [
    # ln 4/40 max(1/gap, 1/eps) = ln 4/4 at eps = 0.1, ln 4/2 at gap = 0.05
    ([("ftnl", 4, 0.2, 0.1, LN_4 * max(1 / 0.2, 1 / 0.1) / 40, 0.0)], "holds"),
    ([("ftnl", 4, 0.2, 0.1, 0.999 * LN_4 / 4, 0.0)], "untestable"),
    ([("ftnl", 4, 0.05, 0.1, 0.999 * LN_4 / 2, 0.0)], "untestable"),
    ([("ftnl", 4, 0.05, 0.1, 0.9 * LN_4 / 2, 0.1)], "holds"),  # not clearly below
    ([("rnm-ftnl-corrected", 4, 0.2, 0.1, 9, 0.0), ("ftnl", 4, 0.2, 0.1, 0.1, 0.0)], "untestable"),
    ([("ftnl", 4, 0.2, 0.1, 9, 0.0), ("rnm-ftnl-corrected", 4, 0.2, 0.1, 0.1, 0.0)], "untestable"),
    # the printed Algorithm 4 is not eps-private
    ([("ftnl", 4, 0.2, 0.1, 9, 0.0), ("rnm-ftnl", 4, 0.2, 0.1, 0.1, 0.0)], "holds"),
])  # fmt: skip
def test_theorem_12_at_its_limit(rows, expected):
    assert word(optimal_rate.lower_bound(one(table(CLASS, *rows)))) == expected


def test_the_private_term_alone_at_its_worst():
    """2 floor(m)/m for m = 1 to 8 in quarters: 1.14 at m = 1.75 is the least."""
    drawn = optimal_rate.PRIVATE_TERM.points[0]
    assert drawn["measured"].min() == pytest.approx(8 / 7)
    assert drawn["measured"].iloc[0] == 2
    assert len(drawn) == 29


@pytest.mark.parametrize(("rows", "expected"), [
    ([("rnm-ftnl-phase", 2.0, 0.0), ("ftl", 99.0, 0.0)], "holds"),
    ([("rnm-ftnl-phase", 1.0, 0.0), ("rnm-ftnl-phase", 2.1, 0.0)], "untestable"),
    ([("rnm-ftnl-phase", 2.4, 0.1)], "holds"),  # 2.4 - 4.9 0.1 = 1.91
    ([("rnm-ftnl-phase", 2.6, 0.1)], "untestable"),
])  # fmt: skip
def test_the_price_of_privacy_at_its_limit(rows, expected):
    made = table("algorithm mean sem", *rows, upper=2.0, instance="x", arms=3, epsilon_over_gap=1.0)
    assert word(optimal_rate.price(one(made))) == expected


def conjecture(growth, instance="doubling", **shares):
    """eps x regret of RNM-FTNL over K; `phase` well below its bound."""
    arms = np.arange(3, 13)
    rows = [
        (name, k, share, grown(k))
        for share, grown in (shares or {1.0: growth}).items()
        for k in arms
        for name in ("rnm-ftnl",)
    ]
    made = table("algorithm arms epsilon_over_gap mean", *rows, sem=0.01, runs=5, instance=instance)
    made["epsilon_over_gap"] = made["epsilon_over_gap"].astype(float)
    return optimal_rate._of_rnm_ftnl(one(made))


def test_growth_of_rnm_ftnl_is_read_off_each_share():
    found = conjecture(lambda k: 1 + 2 * math.log(k))
    assert (found.verdict, found.slack.startswith("an exponent of 1")) == ("consistent", True)
    found = conjecture(lambda k: k**1.5)
    assert (found.verdict, found.slack.startswith("these sizes")) == ("rejected", True)
    assert "K = 5 to 12" in found.scope
    found = conjecture(lambda k: 10.0 + k)  # an exponent below 1, and yet a line in K
    assert (found.verdict, found.slack.startswith("these sizes")) == ("consistent", True)
    found = conjecture(lambda k: math.log(k) - 1.5)  # ln K, and yet an exponent above 1
    assert found.slack.startswith("these sizes")
    both = conjecture(None, **{"1": lambda k: 1 + 2 * math.log(k), "2": lambda k: k**1.5})
    assert (both.verdict, both.slack.startswith("these sizes")) == ("rejected", True)


def test_growth_is_fitted_from_five_arms_on_with_its_errors():
    """mean = K^0.5 above, anything below: exponent 0.5, and slope times ln K as by hand."""
    rows = table("arms mean sem", (3, 99.0, 1.0), (4, 50.0, 1.0), *[
        (k, k**0.5, 0.01 * k**0.5) for k in (5, 10, 20)
    ])  # fmt: skip
    fit = readings.growth_in_k(rows)
    assert fit.exponent.value == pytest.approx(0.5)
    x = np.log([5, 10, 20])  # the errors of ln y are 0.01 each
    wide = readings.Z95 * 0.01 / np.sqrt(((x - x.mean()) ** 2).sum())
    assert fit.exponent.high == pytest.approx(0.5 + wide)
    assert fit.exponent.low == pytest.approx(0.5 - wide)
    assert fit.slope.low < fit.slope.value < fit.slope.high
    assert fit.slope.value - fit.slope.low == pytest.approx(fit.slope.high - fit.slope.value)
    wider = readings.growth_in_k(rows, z=2 * readings.Z95)
    assert wider.exponent.high - 0.5 == pytest.approx(2 * wide)
    assert wider.slope.high - wider.slope.value == pytest.approx(
        2 * (fit.slope.high - fit.slope.value)
    )


# Theorems 3 and 5 beside the runs -------------------------------------------------------------

LONG = "algorithm metric epsilon t mean sem"


@pytest.mark.parametrize(("rows", "expected"), [
    ([("a", "regret", 1.0, 10, 20.0, 0.0)], "holds"),  # 2 t and 3 t are allowed
    ([("a", "regret", 1.0, 10, 21.0, 0.0)], "untestable"),
    ([("a", "regret", 1.0, 10, 1.0, 0.0), ("a", "regret", 0.5, 90, 181.0, 0.0)], "untestable"),
    ([("a", "regret", 1.0, 10, 1.0, 0.0), ("a", "regret", 1.0, 9, 99.0, 0.0)], "holds"),
    ([("a", "regret", 1.0, 10, 1.0, 0.0), ("b", "regret", 1.0, 10, 99.0, 0.0)], "holds"),
    ([("a", "regret", 1.0, 10, 1.0, 0.0), ("a", "pulls", 1.0, 10, 99.0, 0.0)], "holds"),
    ([("a", "regret", 1.0, 10, 22.0, 0.5)], "holds"),  # not clearly beyond
])  # fmt: skip
def test_theorems_3_and_5_beside_their_runs(rows, expected):
    runs = table(LONG, *rows, setting="s", runs=9)
    frames = {
        "bounds": table("setting means", ("s", "0.5 0.4")),
        "fig1_long": runs, "fig2_long": runs.iloc[:0],
    }  # fmt: skip
    bounds = (lambda means, e, t: 2 * t, lambda means, e, t: 3 * t)
    for given in (bounds, bounds[::-1]):  # either bound alone decides
        found = regret._regret_against_bound(frames.get, "a", *given, "x")
        assert found.verdict == expected


def test_the_bound_whatever_the_gaps_decides_too(monkeypatch):
    runs = table(LONG, ("a", "regret", 1.0, 10, 21.0, 0.0), setting="s", runs=9)
    frames = {
        "bounds": table("setting means", ("s", "0.5 0.4")),
        "fig1_long": runs.iloc[:0], "fig2_long": runs,
    }  # fmt: skip
    seen = []

    def bound(means, epsilon, t):
        seen.append((means.tolist(), epsilon, t))
        return 3 * t

    found = regret._regret_against_bound(frames.get, "a", bound, lambda m, e, t: 2 * t, "x")
    assert found.verdict == "untestable"
    assert seen == [([0.5, 0.4], 1.0, 10)]


def test_growth_said_by_hand():
    """Gaps 0.1 and 0.4 at eps = 0.2: regret 12 over ln 1000 (1/0.1 + 1/0.2) is 0.1158."""
    runs = table("setting epsilon t mean", ("s", 0.2, 1000, 12.0), ("s", 0.2, 10**6, 48.0))
    said = regret._growth(runs, {"s": [0.5, 0.4, 0.1]})
    assert said.startswith("0.116 to 0.116 at t = 1e+03, 0.232 to 0.232 at t = 1e+06")


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
    assert bool(same.repaired) == (expected == "rejected")
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
