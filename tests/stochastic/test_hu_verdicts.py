"""Every verdict rule of HU's claims driven both ways, each condition alone, on made-up tables.

All exact: nothing flakes. What a row says on the pipeline's tables is looked at in
tests/pipeline/test_ledger_golden.py; whether a certificate refutes, in tests/certificates.
"""

import math

import numpy as np
import pytest
from made_up_tables import one, table, word

from dpbandits.core.statistics import NORMAL_95
from dpbandits.stochastic import readings
from dpbandits.stochastic.claims import full_information, optimal_rate, regret

LN_4, LN_5 = math.log(4), math.log(5)


# Regret in full information -------------------------------------------------------------------

SWEEP = "arms gap epsilon horizon mean"
SWEPT = {"vary": "gap", "value": 1.0, "best": "last", "runs": 9, "sem": 0.0}


def test_proved_bound_beside_runs(monkeypatch):
    """(mean - z sem)/bound: exactly 1 is no contradiction; the largest row decides."""
    monkeypatch.setattr(full_information, "Z_CLAIM", 1.0)
    for rows, expected in (
        ([(1.5, 0.5, 1.0)], "holds"),
        ([(1.5, 0.4, 1.0)], "untestable"),
        ([(0.1, 0.0, 1.0), (3.0, 0.0, 2.0)], "untestable"),
        ([(3.0, 0.0, 4.0), (0.1, 0.0, 1.0)], "holds"),
    ):
        frame = table("mean sem bound", *rows, vary="gap", best="last", value=1.0)
        assert full_information.beside_runs(frame).verdict == expected


def test_sweeps_take_one_series_and_its_coordinates():
    frame = table(
        f"algorithm {SWEEP}", ("a", 2, 0.3, 0.04, 5, 1), ("b", 9, 9, 9, 9, 9), ("a", 1, 0, 0, 0, 1),
        **SWEPT | {"sem": 0.5},
    )  # fmt: skip
    bound = lambda k, gap, e, t: k + 10 * gap + 100 * e + 1000 * t  # noqa: E731
    found = full_information.swept(one(frame), "a", bound)
    assert found["bound"].tolist() == [5009, 1]
    assert found["sem"].tolist() == [0.5, 0.5]
    assert 4.8 < readings.Z_CLAIM < 4.9  # two-sided at 1e-6


LIMITS = [  # claim, series, what it allows at K = 5, gap 0.2, eps 0.1, T = 1000, worked out by hand
    # 512 (1 + ln 4)/gap + 1, where the gap is at most eps
    (full_information.corollary_10a, "rnm-ftnl", 0.2, 2560 * (1 + LN_4) + 1),
    (full_information.corollary_10b, "rnm-ftnl", 0.1, 5120 * (1 + LN_4) + 1),
    (full_information.corollary_10b, "rnm-ftnl", 0.9, 2560 * (1 + LN_4) + 1),
    # eps/K in place of eps
    (full_information.naive_ftnl, "ftnl", 0.1, 25600 * (1 + LN_4) + 1),
    (full_information.follow_the_leader, "ftl", 0.1, 1 + 20 * (1 + LN_5)),
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
        return full_information.first_form(frames.get).verdict

    assert found(limit * (1 - 1e-12), 50.0) == "holds"
    assert found(limit * (1 + 1e-6), 50.0) == "untestable"
    assert found(1.0, 50.001) == "untestable"


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
    return optimal_rate.of_rnm_ftnl(one(made))


def test_growth_of_rnm_ftnl_is_read_off_each_share():
    logarithm, steep = lambda k: 1 + 2 * math.log(k), lambda k: k**1.5
    for shares, expected, excluded in (
        ({"1": logarithm}, "consistent", True),
        ({"1": steep}, "untestable", False),
        ({"1": lambda k: 10.0 + k}, "consistent", False),  # exponent below 1, yet a line in K
        ({"1": lambda k: math.log(k) - 1.5}, "consistent", False),  # ln K, wide interval
        ({"1": logarithm, "2": steep}, "untestable", False),
    ):
        found = conjecture(None, **shares)
        assert found.verdict == expected
        assert (found.numbers["linear_growth"] == "excluded") == excluded
        assert (found.numbers["least_arms"], found.numbers["most_arms"]) == (5, 12)


def test_growth_is_fitted_from_five_arms_on_with_its_errors():
    """mean = K^0.5 above, anything below: exponent 0.5, and slope times ln K as by hand."""
    rows = table("arms mean sem", (3, 99.0, 1.0), (4, 50.0, 1.0), *[
        (k, k**0.5, 0.01 * k**0.5) for k in (5, 10, 20)
    ])  # fmt: skip
    fit = readings.growth_in_k(rows)
    assert fit.exponent.value == pytest.approx(0.5)
    x = np.log([5, 10, 20])  # the errors of ln y are 0.01 each
    wide = NORMAL_95 * 0.01 / np.sqrt(((x - x.mean()) ** 2).sum())
    assert fit.exponent.high == pytest.approx(0.5 + wide)
    assert fit.exponent.low == pytest.approx(0.5 - wide)
    assert fit.slope.low < fit.slope.value < fit.slope.high
    assert fit.slope.value - fit.slope.low == pytest.approx(fit.slope.high - fit.slope.value)
    wider = readings.growth_in_k(rows, z=2 * NORMAL_95)
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
        found = regret.regret_beside_bounds(frames.get, "a", *given)
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

    found = regret.regret_beside_bounds(frames.get, "a", bound, lambda m, e, t: 2 * t)
    assert found.verdict == "untestable"
    assert seen == [([0.5, 0.4], 1.0, 10)]
