"""Every verdict rule of HU's claims driven both ways, each condition alone, on made-up tables.

All exact: nothing flakes. What a row says on the pipeline's tables is looked at in
tests/reproduction/pipeline/test_ledger_golden.py; whether a certificate
refutes, in tests/reproduction/certificates.
"""

import math

import numpy as np
import pytest
from made_up_tables import one, outcome, table

from dpbandits.reproduction.hu import summaries as readings
from dpbandits.reproduction.hu.claims import optimal_rate, regret
from dpbandits.reproduction.statistics import NORMAL_95

LN_4, LN_5 = math.log(4), math.log(5)
BELOW, ABOVE = 1 - 1e-12, 1 + 1e-6  # a limit


# Regret in full information -------------------------------------------------------------------

SWEEP = "algorithm arms gap epsilon horizon mean"
SWEPT = {"vary": "gap", "value": 1.0, "best": "last", "runs": 9, "sem": 0.0}


@pytest.mark.parametrize(("rows", "expected"), [
    ([(1.5, 0.5, 1.0)], "holds"),  # (1.5 - 0.5)/1: exactly 1 is no contradiction
    ([(1.5, 0.4, 1.0)], "stops"),
    ([(0.1, 0.0, 1.0), (3.0, 0.0, 2.0)], "stops"),
    ([(3.0, 0.0, 4.0), (0.1, 0.0, 1.0)], "holds"),
])  # fmt: skip
def test_proved_bound_beside_runs(rows, expected, monkeypatch):
    """The largest (mean - z sem)/bound decides."""
    monkeypatch.setattr(regret, "Z_CLAIM", 1.0)
    frame = table("mean sem bound", *rows, vary="gap", best="last", value=1.0)
    assert outcome(regret.beside_runs, frame) == expected


def test_sweeps_take_one_series_and_its_coordinates():
    rows = [("a", 2, 0.3, 0.04, 5, 1), ("b", 9, 9, 9, 9, 9)]
    bound = lambda k, gap, e, t: k + 10 * gap + 100 * e + 1000 * t  # noqa: E731
    swept = regret.swept(one(table(SWEEP, *rows, **SWEPT)), "a", bound)
    assert swept["bound"].tolist() == [5009]
    assert 4.8 < readings.Z_CLAIM < 4.9  # two-sided at 1e-6


W, CRITICAL = 1 + math.log(16), math.sqrt(math.log(16)) / 100  # 1 + ln K, Delta* of Corollary 11
LIMITS = [  # bound, instance (series, K, gap, eps, T), what is allowed there, by hand
    # 512 (1 + ln 4)/gap + 1, where the gap is at most eps
    ("Corollary 10(a)", ("rnm-ftnl", 5, 0.2, 0.2, 1000), 2560 * (1 + LN_4) + 1),
    # 512 (1 + ln 4)/min(gap, eps) + 1
    ("Corollary 10(b)", ("rnm-ftnl", 5, 0.2, 0.1, 1000), 5120 * (1 + LN_4) + 1),
    ("Corollary 10(b)", ("rnm-ftnl", 5, 0.2, 0.9, 1000), 2560 * (1 + LN_4) + 1),
    # T Delta* + 512 w/Delta* + 256 w 2/eps + 1 (see test_hu_formulas)
    ("Corollary 11", ("rnm-ftnl", 16, 0.2, 0.3, 1e4),
     1e4 * CRITICAL + 512 * W / CRITICAL + 256 * W * 2 / 0.3 + 1),
    # eps/K in place of eps
    ("Corollary 10(b) with ε/K", ("ftnl", 5, 0.2, 0.1, 1000), 25600 * (1 + LN_4) + 1),
    ("Follow-the-Leader", ("ftl", 5, 0.2, 0.1, 1000), 1 + 20 * (1 + LN_5)),
]  # fmt: skip


@pytest.mark.parametrize(("bound", "instance", "limit"), LIMITS)
def test_regret_at_the_limit_and_above(bound, instance, limit):
    other = ("other", *instance[1:], 1e9)
    for share, expected in ((BELOW, "holds"), (ABOVE, "stops")):
        frame = table(SWEEP, (*instance, share * limit), other, **SWEPT)
        found = outcome(regret.beside_bound, one(frame), instance[0], bound)
        assert found == expected


def test_corollary_10a_ignores_gaps_above_epsilon():
    rows = [("rnm-ftnl", 5, 0.2, 0.2, 1000, 1.0), ("rnm-ftnl", 5, 0.2, 0.1999, 1000, 1e9)]
    check = regret.beside_bound, one(table(SWEEP, *rows, **SWEPT)), "rnm-ftnl"
    assert outcome(*check, "Corollary 10(a)") == "holds"


@pytest.mark.parametrize(("share", "doubling", "expected"), [
    (BELOW, 50.0, "holds"), (ABOVE, 50.0, "stops"), (0.1, 50.001, "stops"),
])  # fmt: skip
def test_theorem_9_reads_both_tables_and_its_series_alone(share, doubling, expected):
    """256 (1 + ln 4)/0.1 for four gaps of 0.2 at eps = 0.1; the other table has its bound, 50."""
    limit = 2560 * (1 + LN_4)
    instance = (5, 0.2, 0.1, 1000)
    rows = [("rnm-ftnl", *instance, share * limit), ("ftl", *instance, 1e9)]
    frames = {
        "full_information": table(SWEEP, *rows, **SWEPT),
        "conjecture": table(
            "algorithm mean", ("rnm-ftnl", doubling), ("rnm-ftnl-phase", 1e9),
            instance="equal", arms=3, epsilon_over_gap=1.0, theorem9=50.0, sem=0.0,
        ),
    }  # fmt: skip
    assert outcome(regret.first_form, frames.get) == expected


# Lower bounds and the optimal rate ------------------------------------------------------------

CLASS = "algorithm arms gap epsilon mean sem"


@pytest.mark.parametrize(("rows", "expected"), [
    # ln 4/40 max(1/gap, 1/eps) = ln 4/4 at eps = 0.1, ln 4/2 at gap = 0.05
    ([("ftnl", 4, 0.2, 0.1, LN_4 * max(1 / 0.2, 1 / 0.1) / 40, 0.0)], "holds"),
    ([("ftnl", 4, 0.2, 0.1, 0.999 * LN_4 / 4, 0.0)], "stops"),
    ([("ftnl", 4, 0.05, 0.1, 0.999 * LN_4 / 2, 0.0)], "stops"),
    ([("ftnl", 4, 0.05, 0.1, 0.9 * LN_4 / 2, 0.1)], "holds"),  # not clearly below
    ([("rnm-ftnl-corrected", 4, 0.2, 0.1, 9, 0.0), ("ftnl", 4, 0.2, 0.1, 0.1, 0.0)], "stops"),
    ([("ftnl", 4, 0.2, 0.1, 9, 0.0), ("rnm-ftnl-corrected", 4, 0.2, 0.1, 0.1, 0.0)], "stops"),
    # the printed Algorithm 4 is not eps-private
    ([("ftnl", 4, 0.2, 0.1, 9, 0.0), ("rnm-ftnl", 4, 0.2, 0.1, 0.1, 0.0)], "holds"),
])  # fmt: skip
def test_theorem_12_at_its_limit(rows, expected):
    assert outcome(optimal_rate.both_terms, one(table(CLASS, *rows))) == expected


@pytest.mark.parametrize(("rows", "expected"), [
    ([("rnm-ftnl-phase", 2.0, 0.0), ("ftl", 99.0, 0.0)], "holds"),
    ([("rnm-ftnl-phase", 1.0, 0.0), ("rnm-ftnl-phase", 2.1, 0.0)], "stops"),
    ([("rnm-ftnl-phase", 2.4, 0.1)], "holds"),  # 2.4 - 4.9 0.1 = 1.91
    ([("rnm-ftnl-phase", 2.6, 0.1)], "stops"),
])  # fmt: skip
def test_price_of_privacy_at_its_limit(rows, expected):
    data = table("algorithm mean sem", *rows, upper=2.0, instance="x", arms=3, epsilon_over_gap=1.0)
    assert outcome(optimal_rate.price, one(data)) == expected


@pytest.mark.parametrize(("growth", "expected", "excluded"), [
    ([lambda k: 1 + 2 * math.log(k)], "consistent", True),
    ([lambda k: k**1.5], "stops", False),
    ([lambda k: 10.0 + k], "consistent", False),  # exponent below 1, yet a line in K
    ([lambda k: math.log(k) - 1.5], "consistent", False),  # ln K, wide interval
    ([lambda k: 1 + 2 * math.log(k), lambda k: k**1.5], "stops", False),
])  # fmt: skip
def test_growth_of_rnm_ftnl_at_each_epsilon(growth, expected, excluded):
    """eps x regret over K, for eps = 1, 2, ... times the gap."""
    rows = [(k, share, curve(k)) for share, curve in enumerate(growth, 1) for k in range(3, 13)]
    labels = {"algorithm": "rnm-ftnl", "instance": "doubling", "sem": 0.01, "runs": 5}
    data = table("arms epsilon_over_gap mean", *rows, **labels).astype({"epsilon_over_gap": float})
    assert outcome(optimal_rate.of_rnm_ftnl, one(data)) == expected
    if expected == "stops":
        return
    finding = optimal_rate.of_rnm_ftnl(one(data))
    assert (finding.numbers["linear_growth"] == "excluded") == excluded
    assert (finding.numbers["least_arms"], finding.numbers["most_arms"]) == (5, 12)


def test_growth_is_fitted_from_five_arms_on_with_its_errors():
    """mean = K^0.5 from K = 5 on, anything below: exponent 0.5, its error as by hand."""
    rows = table("arms mean sem", (3, 99.0, 1.0), (4, 50.0, 1.0), *[
        (k, k**0.5, 0.01 * k**0.5) for k in (5, 10, 20)
    ])  # fmt: skip
    x = np.log([5, 10, 20])  # the errors of ln y are 0.01 each
    error = 0.01 / np.sqrt(((x - x.mean()) ** 2).sum())
    slope_errors = []
    for z in (NORMAL_95, 5.0):
        fit = readings.growth_in_k(rows, z)
        assert fit.exponent.value == pytest.approx(0.5)
        assert fit.exponent.high == pytest.approx(0.5 + z * error)
        assert fit.exponent.low == pytest.approx(0.5 - z * error)
        assert fit.slope.value - fit.slope.low == pytest.approx(fit.slope.high - fit.slope.value)
        slope_errors.append((fit.slope.high - fit.slope.value) / z)
    assert slope_errors[0] == pytest.approx(slope_errors[1])


# Theorems 3 and 5 beside the runs -------------------------------------------------------------


@pytest.mark.parametrize("factors", [(2, 3), (3, 2)])  # either bound alone decides
@pytest.mark.parametrize(("rows", "expected"), [
    ([("a", "regret", 1.0, 10, 20.0, 0.0)], "holds"),  # 2 t and 3 t are allowed
    ([("a", "regret", 1.0, 10, 21.0, 0.0)], "stops"),
    ([("a", "regret", 1.0, 10, 1.0, 0.0), ("a", "regret", 0.5, 90, 181.0, 0.0)], "stops"),
    ([("a", "regret", 1.0, 10, 1.0, 0.0), ("a", "regret", 1.0, 9, 99.0, 0.0)], "holds"),
    ([("a", "regret", 1.0, 10, 1.0, 0.0), ("b", "regret", 1.0, 10, 99.0, 0.0)], "holds"),
    ([("a", "regret", 1.0, 10, 1.0, 0.0), ("a", "pulls", 1.0, 10, 99.0, 0.0)], "holds"),
    ([("a", "regret", 1.0, 10, 22.0, 0.5)], "holds"),  # not clearly beyond
])  # fmt: skip
def test_theorems_3_and_5_beside_their_runs(rows, expected, factors, monkeypatch):
    runs = table("algorithm metric epsilon t mean sem", *rows, setting="s", runs=9)
    frames = {
        "bounds": table("setting means", ("s", "0.5 0.4")),
        "fig1_long": runs.iloc[:1], "fig2_long": runs.iloc[1:],
    }  # fmt: skip

    def instance_bound(means, epsilon, t):
        assert (means.tolist(), epsilon) in [([0.5, 0.4], 1.0), ([0.5, 0.4], 0.5)]
        return factors[0] * t

    def worst_case(arms, epsilon, t):
        assert (arms, epsilon) in [(2, 1.0), (2, 0.5)]
        return factors[1] * t

    monkeypatch.setitem(regret.LAZY_BOUNDS, "a", (instance_bound, worst_case))
    assert outcome(regret.beside_bounds, frames.get, "a") == expected
