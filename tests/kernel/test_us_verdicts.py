"""Every verdict rule of US's claims driven both ways, each condition alone, on made-up tables.

All exact: nothing flakes. What a row says on the pipeline's tables is looked at in
tests/pipeline/test_ledger_golden.py; whether a certificate refutes, in tests/certificates.
"""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from made_up_tables import one, table
from scipy.stats import beta, binom

from dpbandits.core.ledger import Verdict
from dpbandits.core.points import points
from dpbandits.kernel.claims import (
    assumptions,
    certificates,
    error_rate,
    estimation,
    limits,
    privacy,
    spectral,
)
from dpbandits.kernel.claims import evidence as shared
from dpbandits.kernel.engine import certificates as computed

# Bounds that may fail at times ----------------------------------------------------------------

SEEN = "setting t runs exceed largest bound mean low"
REPAIRED = {"repaired": "r", "repaired_verdict": "open", "proof_step": "s"}


def never(*rows, delta=0.1):
    made = table(SEEN, *rows, delta=delta, tau=1.0)
    return shared.never_exceeded(made, note="n", evidence=("x",), **REPAIRED)


def test_failures_beyond_delta_reject_at_one_in_a_million():
    """P(Bin(100, 0.1) >= 28) = 4e-7 and P(... >= 27) = 1.4e-6; 28 and 27 among two settings."""
    chance = lambda k: binom.sf(k - 1, 100, 0.1)  # noqa: E731
    assert chance(28) < 1e-6 < chance(27)
    for exceed, expected in ((28, "rejected"), (27, "consistent")):
        rows = (("a", 4, 40, exceed - 7, 9.0, 3.0, 2.0, 1.0), ("b", 9, 60, 7, 9.0, 3.0, 2.0, 1.0))
        found = never(*rows)
        assert found.verdict == expected
        assert found.measured == f"{exceed} of 100 runs above the bound."
        assert found.scope.startswith(r"a, b; $T$ = 4 to 9, $\tau$ = 1; 100 runs")
        assert found.slack.endswith("0.333")
        said = f"1 - {chance(28):.1g}" if expected == "rejected" else "1 - 1e-06: a failure rate"
        assert found.confidence.startswith(said)


def test_what_never_fails_says_what_would_have_shown():
    """(1 - rate)^50 = 1e-6 at a rate of 0.24; the tightest of two points is said."""
    found = never(("a", 4, 20, 0, 1.0, 3.0, 0.5, 0.2), ("a", 9, 30, 0, 2.0, 3.0, 0.5, 0.2))
    assert found.verdict == "consistent"
    assert f"above {1 - 1e-6 ** (1 / 50):.2g} would" in found.confidence
    assert found.slack.endswith("1.5")


def test_scopes_name_tau_where_the_table_has_it():
    made = table("setting t tau", ("a", 4, 2.0), ("b", 9, 0.5))
    assert shared.settings_of(made) == r"a, b; $T$ = 4 to 9, $\tau$ = 0.5, 2"
    assert shared.settings_of(made.drop(columns="tau")) == "a, b; $T$ = 4 to 9"


def test_ends_of_clopper_and_pearson():
    """Against the defining beta quantile; 0 of n has the lower end 0."""
    assert shared.lowest(0, 20, 1e-6) == 0
    assert shared.lowest(3, 7, 0.01) == pytest.approx(beta.ppf(0.01, 3, 8))
    assert binom.sf(2, 10, float(shared.lowest(3, 7, 0.01))) == pytest.approx(0.01)
    drawn = shared.share_of_all(table(SEEN, ("a", 4, 10, 3, 9, 3, 2, 1), delta=0.25))
    assert drawn["measured"].iloc[0] == 0.3
    assert drawn["low"].iloc[0] == pytest.approx(shared.lowest(3, 7, 1e-6))
    assert drawn["high"].iloc[0] == pytest.approx(1 - shared.lowest(7, 3, 1e-6))
    assert drawn["at_most"].iloc[0] == 0.25


# Identities, assumptions ----------------------------------------------------------------------


@pytest.mark.parametrize(("mean", "variance", "expected"), [
    (1, 2, "holds"), (9, 2, "violated"), (1, 9, "violated"),
])  # fmt: skip
def test_lemma_3_1_needs_both_identities_in_every_problem(mean, variance, expected, monkeypatch):
    from flint import fmpq

    count = iter(range(10**6))

    def forms(rng):
        wrong = next(count) == 117  # one of 200
        pairs = ((1, mean if wrong else 1), (2, variance if wrong else 2))
        return tuple((fmpq(a), fmpq(b)) for a, b in pairs)

    monkeypatch.setattr(assumptions, "lemma_3_1_forms", forms)
    if expected == "holds":
        assert assumptions.lemma_3_1(None).verdict == expected
    else:  # what would refute our own proof may not pass as a row
        with pytest.raises(ValueError, match="says what is true instead"):
            assumptions.lemma_3_1(None)


def test_lemma_8_1_falls_with_one_function(monkeypatch):
    """Equality is allowed."""
    for left, passes in ((Fraction(1, 3), True), (Fraction(333, 1000), False)):
        monkeypatch.setattr(
            error_rate, "volume_ratio_and_bound", lambda rng, left=left: (left, Fraction(1, 3))
        )
        if passes:
            found = error_rate.lemma_8_1(None)
            assert (found.slack, found.counterexample) == ("attained by linear $g$", "")
        else:
            with pytest.raises(ValueError, match="violated"):
                error_rate.lemma_8_1(None)


def test_how_far_the_posterior_mean_moves():
    """T = 2, kappa = 1/4: variance 1 - 1/8, moved 2 (7/8)/(15/8) = 14/15; in the end 6/7."""
    assert assumptions._moved(2, 0.25) == pytest.approx(14 / 15)
    assert assumptions._moved(10**9, 0.25) == pytest.approx(6 / 7)


# What is certified, and what is not -----------------------------------------------------------


@pytest.mark.parametrize(("module", "name", "claim", "place"), [
    (error_rate, "theorem_8_2_is_negative", "theorem_4_1", 0),
    (estimation, "lemma_6_2_counterexample", "lemma_6_2", 0),
])  # fmt: skip
def test_one_case_that_is_not_certified_is_enough(module, name, claim, place, monkeypatch):
    plain, calls = getattr(module, name), []

    def once_not(case):
        calls.append(case)
        return plain(case) | ({"certified": False} if len(calls) == 2 else {})

    monkeypatch.setattr(module, name, once_not)
    monkeypatch.setattr(error_rate, "_useful", lambda tables: "")
    monkeypatch.setattr(error_rate, "_exponent", lambda data, repaired: None)
    tables = one(ERRORS)
    found = getattr(module, claim)(tables)[place]
    assert (found.verdict, found.repaired_verdict) == ("untestable", "")
    assert len(calls) > 1


ERRORS = table(
    "quantity setting t mean largest bound low high",
    ("mubar - mu_T", "a", 16, 0.1, 0.2, 3.0, 0.05, 0.15),
    ("mubar - mu_T", "a", 64, 0.1, 0.2, 3.0, 0.05, 0.15),
    ("mubar - f", "a", 16, 0.1, 0.2, 3.0, 0.05, 0.15),
    ("mubar - f", "a", 64, 0.1, 0.3, 3.0, 0.05, 0.15),
    ("mu_T - f", "a", 64, 0.2, 0.2, math.nan, 0.05, 0.15),
    tau=1.0, gamma=2.0, runs=9, exceed=0, delta=0.1, repaired=0.6,
)  # fmt: skip


def test_all_four_forms_of_the_threshold_must_fall(monkeypatch):
    found = computed.n1bar_counterexamples()
    for kept, expected in ((found, "violated"), (found[:3], "untestable")):
        monkeypatch.setattr(spectral, "n1bar_counterexamples", lambda kept=kept: kept)
        assert spectral.n1bar(None).verdict == expected


def test_both_sides_of_a_certificate_are_compared(monkeypatch):
    """The left side from below, the right one from above; equality refutes nothing."""
    for left, right, certified in (("3", "2", True), ("2", "2", False), ("1", "2", False)):
        sides = {"left": [left, "9"], "right": ["0", right]}
        monkeypatch.setattr(
            certificates, "_numeric", lambda name, sides=sides: {"enclosures": sides}
        )
        found = certificates.numbers("x")
        assert found == {"left": float(left), "right": float(right), "certified": certified}


def test_a_quotient_that_does_not_grow_refutes_nothing(monkeypatch):
    """US-S4-same: the first above 1, each more than 3 times the one before."""
    for ratios, expected in (
        ((2, 7, 22), "violated"), ((1, 7, 22), "untestable"), ((2, 6, 22), "untestable"),
        ((2, 7, 21), "untestable"),
    ):  # fmt: skip
        squares = {
            t: (Fraction(1), Fraction(r)) for t, r in zip((16, 64, 256), ratios, strict=True)
        }
        monkeypatch.setattr(estimation, "shown_beyond", lambda *_, **__: BEYOND)
        monkeypatch.setattr(
            "dpbandits.kernel.engine.counterexamples.two_point_errors",
            lambda t, k, tau, squares=squares: squares[t],
        )
        found = estimation.same_performance(one(ERRORS))
        assert found.verdict == expected
        assert "0.5 to 0.5 times" in found.measured  # 0.1 against 0.2 at the largest T


BEYOND = points([1], [3.0], at_most=[2.0], axes=("x", "y"))


# Estimates ------------------------------------------------------------------------------------


def test_lemma_4_3_for_fast_spectra_stands_while_no_run_contradicts():
    for exceed, expected in ((0, "holds"), (9, "untestable")):
        printed, large, order = estimation.lemma_4_3(one(ERRORS.assign(exceed=exceed)))
        assert (printed.verdict, large.verdict, order.verdict) == ("violated", expected, "violated")
        assert large.method == "proof"
        assert large.confidence == ""
        assert len(large.points) == (expected == "holds")  # one kernel, without the shares


def test_how_close_the_repaired_bound_is():
    """Largest value over bound, 0.3/0.6; points whose bound is not finite are left out."""
    rows = ERRORS[ERRORS["quantity"] == "mubar - f"]
    assert estimation.closeness(rows) == "0.500 (a, $T=64$, 18 runs, 0 points above)"
    some = rows.assign(repaired=[0.1, math.inf])
    assert estimation.closeness(some) == "2.000 (a, $T=16$, 9 runs, 1 points above)"
    attained = rows.assign(repaired=[0.2, 0.6])
    assert estimation.closeness(attained) == "1.000 (a, $T=16$, 18 runs, 0 points above)"
    assert "large enough" in estimation.closeness(rows.assign(repaired=math.inf))


def test_growth_that_the_runs_leave_room_for():
    """error/sqrt(gamma/T) constant: power 0, and its error by hand: relative 0.05 at each T."""
    rows = table("setting t mean", ("a", 16, 1 / 4), ("a", 64, 1 / 8), ("a", 256, 1 / 16),
                 gamma=1.0)  # fmt: skip
    rows = rows.assign(low=rows["mean"] * 0.9, high=rows["mean"] * 1.1)
    x = np.log([16, 64, 256])
    wide = 0.05 / math.sqrt(((x - x.mean()) ** 2).sum()) * 4.753424
    assert f"above {wide:.2f} would" in limits._growth_seen(rows)
    steeper = rows.assign(setting="b", mean=rows["mean"] * rows["t"] ** 0.5)
    steeper = steeper.assign(low=steeper["mean"] * 0.9, high=steeper["mean"] * 1.1)
    both = pd.concat([steeper, rows])
    assert f"above {0.5 + wide:.2f} would" in limits._growth_seen(both)


# Sensitivity and privacy ----------------------------------------------------------------------


def exact(**columns):
    made = table("setting t run", ("a", 4, 0), ("a", 4, 1), ("b", 9, 0), tau=1.0)
    usual = {"sensitivity_over_bound": 1.0, "loss_over_epsilon": 0.5, "loss_at_least_noise": 1.0}
    return one(made.assign(**usual | {"attained": [0.1, 0.2, 0.3]} | columns))


@pytest.mark.parametrize(("claim", "column", "place"), [
    (privacy.lemma_4_2, "sensitivity_over_bound", None),
    (privacy.lemma_7_2, "loss_over_epsilon", 0),
    (privacy.lemma_7_2, "loss_at_least_noise", 1),
    (privacy.theorem_7_3, "loss_over_epsilon", None),
])  # fmt: skip
def test_promises_are_kept_in_every_draw_up_to_rounding(claim, column, place):
    for worst, expected in ((1 + 1e-9, "holds"), (1 + 1e-8, "untestable")):
        found = claim(exact(**{column: [0.5, worst, 0.5]}))
        found = found if place is None else found[place]
        assert found.verdict == expected
        assert "on 3 draws" in found.scope


def test_the_least_noise_speaks_of_the_longest_data():
    found = privacy.lemma_7_2(exact(t=[4, 9, 9]))[1]
    assert "one pair of 9 records attains 0.200000" in found.measured
    assert found.tightness.startswith("0.300000")


# Spectral bounds ------------------------------------------------------------------------------


def test_which_sampled_norms_meet_the_lemma_s_conditions():
    columns = "norm condition t n1bar mean bound setting exceed runs"
    good = ("operator norm", 0.25, 9, 8.0, 1.0, 2.0, "a", 1, 5)
    worse = ("operator norm", 0.2, 10, 8.0, 3.0, 2.0, "b", 4, 5)
    assert "b, $T=10$: 4 of 5 runs" in spectral._shown(table(columns, good, worse), "operator norm")
    for outside in (
        ("spectrum", *worse[1:]), (worse[0], 0.26, *worse[2:]), (*worse[:2], 8, *worse[3:]),
    ):  # fmt: skip
        assert "a, $T=9$: 1 of 5" in spectral._shown(table(columns, good, outside), "operator norm")
    none = spectral._shown(table(columns, outside), "operator norm")
    assert none == "No sampled point meets the conditions"


VARIANCE = table(
    "setting t mean low largest bound repaired largest_known exceed",
    ("a", 4, 0.5, 0.4, 0.6, 0.9, 0.8, 0.4, 0), ("a", 9, 0.5, 0.4, 0.6, 0.9, math.inf, 0.4, 0),
    F=1.4, gamma=2.0, tau=1.0, runs=50, delta=0.1,
)  # fmt: skip


def test_lemma_7_1_in_its_three_readings():
    sampled, every, where = spectral.lemma_7_1(one(VARIANCE))
    assert (sampled.verdict, sampled.method, sampled.confidence) == ("holds", "proof", "")
    assert (every.verdict, where.verdict) == ("violated", "holds")
    assert sampled.tightness.startswith("0.750")  # 0.6/0.8
    # b = 1 - 0.4/0.8: (1 - b) ln 2 = 0.347 is above 26/81 = 0.321; not so at 0.4/0.9: 0.308
    assert [len(p) for p in where.points] == [1]
    other = spectral.lemma_7_1(one(VARIANCE.assign(repaired=0.9)))
    assert [len(p) for p in other[2].points] == [0]
    unknown = spectral.lemma_7_1(one(VARIANCE.assign(repaired=math.inf)))
    assert unknown[0].tightness.startswith("nan")
    rejected = spectral.lemma_7_1(one(VARIANCE.assign(exceed=40, largest=1.5, repaired=2.0)))[0]
    assert (rejected.verdict, rejected.method) == ("rejected", "statistical")


# Error rates ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("gaps", "sem", "expected"), [
    ((0.0, 0.0), 0.0, "consistent"), ((-0.1, 0.01), 1e-9, "rejected"),
    ((0.01, -0.1), 1e-9, "rejected"), ((0.01, 0.01), 0.01, "consistent"),
])  # fmt: skip
def test_a_rival_is_not_above_at_any_epsilon(gaps, sem, expected):
    rows = [
        (name, e, 0.5 + (gap if name == "usca" else 0.0))
        for e, gap in zip((0.5, 5.0), gaps, strict=True)
        for name in ("usca", "private-gp-ucb", "usca-exact", "private-gp-ucb-exact")
    ]
    data = table("algorithm epsilon mean", *rows, sem=sem, metric="regret", t=64, setting="s")
    early = data.assign(t=8, mean=9.0 * (data["algorithm"] == "usca"))
    other = data.assign(metric="estimation_error", mean=9.0 * (data["algorithm"] == "usca"))
    found = error_rate.improves(one(pd.concat([data, early, other])))
    assert [v.verdict for v in found] == ["holds", expected, "consistent"]
    assert found[1].repaired_verdict == ("open" if expected == "rejected" else "")


def test_an_error_is_clear_beyond_its_share_of_one_in_a_million():
    """Two epsilons, so 5e-7 each: 4.89 times the error of the difference, 0.03 and 0.04: 0.05."""
    wide = 4.891638 * 0.05
    for gap, expected in ((0.99 * wide, "consistent"), (1.01 * wide, "rejected")):
        rows = [("usca", e, 0.5 + gap, 0.03) for e in (1.0, 2.0)]
        rows += [("private-gp-ucb", e, 0.5, 0.04) for e in (1.0, 2.0)]
        data = table("algorithm epsilon mean sem", *rows, metric="regret", t=64, setting="s")
        assert error_rate._against_private_gp_ucb(data, "", "r", "s").verdict == expected


@pytest.mark.parametrize(("slopes", "expected"), [
    ((-0.5, -0.5), "holds"), ((-0.5, -0.3), "rejected"), ((-0.3, -0.5), "rejected"),
    ((-0.4, -0.5), "holds"),  # exactly the printed one, without any error
])  # fmt: skip
def test_an_exponent_above_the_printed_one_rejects(slopes, expected, monkeypatch):
    """Half widths of 0.0196, errors of 0.01; at eps = inf alone."""
    fits = table("setting slope epsilon", ("a", slopes[0], math.inf), ("b", slopes[1], math.inf),
                 ("a", 9.0, 1.0), printed=-0.4)  # fmt: skip
    wide = 0.0 if expected == "holds" and slopes[0] == -0.4 else 0.0196
    fits = fits.assign(low=fits["slope"] - wide, high=fits["slope"] + wide)
    monkeypatch.setattr("dpbandits.kernel.figures.error.fitted_rates", lambda data: fits)
    repaired = {"repaired": "r", "repaired_verdict": "holds", "repaired_method": "proof"}
    found = error_rate._exponent(pd.DataFrame({"t": [4, 9, 16]}), repaired)
    assert found.verdict == expected
    assert found.method == ("statistical" if expected == "rejected" else "proof")
    said = f"above the printed one by {wide / 0.4:.2f} would"  # 4.89 times 0.01
    assert said in found.confidence


def test_rows_are_verdicts():
    assert isinstance(limits.private_in_its_own_context(None), Verdict)
