"""Verdicts of US's checks on made-up tables on both sides of each condition.

Nothing is random. The rows for the pipeline's tables are tested in
tests/reproduction/pipeline/test_ledger_golden.py, certificates in tests/certificates.
"""

import math
from functools import partial

import pandas as pd
import pytest
from made_up_tables import one, outcome, table
from scipy.stats import binom

from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.us.claims import error_rate, estimation, findings, sampled, spectral


def test_exceedance_contradicts_a_bound_at_level_1e_6():
    """P(Bin(100, 0.1) >= 28) = 4e-7 and P(... >= 27) = 1.4e-6; 28 and 27 of 100 in two settings."""
    assert binom.sf(27, 100, 0.1) < 1e-6 < binom.sf(26, 100, 0.1)
    for exceed in (28, 27):
        rows = (("a", 4, 40, exceed - 7), ("b", 9, 60, 7))
        data = table("setting t runs exceed", *rows, largest=9.0, bound=3.0, delta=0.1, tau=1.0)
        contradicted, numbers = sampled.exceedance(data)
        assert contradicted == (exceed == 28)
        assert numbers == {"settings": "a, b", "first": 4, "last": 9, "taus": "1", "delta": 0.1,
                           "runs": 100, "above": exceed, "slack": pytest.approx(1 / 3)}  # fmt: skip


ERRORS = table(
    "quantity setting t mean largest bound low high",
    ("mubar - mu_T", "a", 16, 0.1, 0.2, 3.0, 0.05, 0.15),
    ("mubar - mu_T", "a", 64, 0.1, 0.2, 3.0, 0.05, 0.15),
    ("mubar - f", "a", 16, 0.1, 0.2, 3.0, 0.05, 0.15),
    ("mubar - f", "a", 64, 0.1, 0.3, 3.0, 0.05, 0.15),
    ("mu_T - f", "a", 64, 0.2, 0.2, math.nan, 0.05, 0.15),
    tau=1.0, gamma=2.0, runs=9, exceed=0, delta=0.1, repaired=0.6,
)  # fmt: skip


def test_lemma_4_3_for_fast_spectra_holds_if_no_run_contradicts():
    assert outcome(estimation.lemma_4_3, one(ERRORS.assign(exceed=9))) == "stops"
    findings = estimation.lemma_4_3(one(ERRORS))
    assert [findings[name].verdict for name in findings] == ["", "holds", ""]
    assert findings["printed"].numbers["closest"].startswith("0.500 (a, $T=64$, 18 runs, 0")
    assert len(findings["beta-above-4/3"].points) == 2
    unknown = estimation.lemma_4_3(one(ERRORS.assign(repaired=math.inf)))
    assert unknown["order"].numbers["closest"].startswith("not searched")


LOSSES = table(
    "setting t run attained", ("a", 4, 0, 0.1), ("a", 4, 1, 0.2), ("b", 9, 0, 0.3),
    tau=1.0, sensitivity_over_bound=1.0, loss_over_epsilon=0.5, loss_at_least_noise=1.0,
)  # fmt: skip


RULES = [r.check for id in ("US-L4.2", "US-L7.2", "US-T7.3") for r in get_claim(id).readings]


@pytest.mark.parametrize("column", [rule["column"] for rule in RULES])
def test_loss_above_epsilon_stops_the_run(column):
    claim = partial(findings.within, column=column, proof="Lemma")
    finding = claim(one(LOSSES.assign(**{column: [0.5, 1 + 1e-9, 0.5]})))
    assert finding.verdict == "holds"
    assert finding.numbers["cases"] == 3
    assert outcome(claim, one(LOSSES.assign(**{column: [0.5, 1 + 1e-8, 0.5]}))) == "stops"


VARIANCE = table(
    "setting t mean low largest bound repaired largest_known exceed",
    ("a", 4, 0.5, 0.4, 0.6, 0.9, 0.8, 0.4, 0), ("a", 9, 0.5, 0.4, 0.6, 0.9, math.inf, 0.4, 0),
    F=1.4, gamma=2.0, tau=1.0, runs=50, delta=0.1,
)  # fmt: skip


def test_lemma_7_1_by_its_runs_and_its_proof():
    findings = spectral.lemma_7_1(one(VARIANCE))
    assert findings["printed"].verdict == "holds"
    assert findings["printed"].numbers["closest"] == pytest.approx(0.75)  # 0.6/0.8
    # b = 1 - 0.4/0.8: (1 - b) ln 2 = 0.347 is above 26/81 = 0.321; not so at 0.4/0.9: 0.308
    assert len(findings["where-proved"].points) == 1
    other = spectral.lemma_7_1(one(VARIANCE.assign(repaired=0.9)))
    assert len(other["where-proved"].points) == 0
    contradicted = VARIANCE.assign(exceed=40, largest=1.5, repaired=2.0)
    assert outcome(spectral.lemma_7_1, one(contradicted)) == "stops"


@pytest.mark.parametrize(("gaps", "sem", "expected"), [
    ((0.0, 0.0), 0.0, "consistent"), ((-0.1, 0.01), 1e-9, "rejected"),
    ((0.01, -0.1), 1e-9, "rejected"), ((0.01, 0.01), 0.01, "consistent"),
])  # fmt: skip
def test_improvement_is_rejected_if_the_rival_is_better_at_one_epsilon(gaps, sem, expected):
    rows = [
        (name, e, 0.5 + (gap if name == "usca" else 0.0))
        for e, gap in zip((0.5, 5.0), gaps, strict=True)
        for name in ("usca", "private-gp-ucb")
    ]
    data = table("algorithm epsilon mean", *rows, sem=sem, metric="regret", t=64, setting="s")
    early = data.assign(t=8, mean=9.0 * (data["algorithm"] == "usca"))
    other = data.assign(metric="estimation_error", mean=9.0 * (data["algorithm"] == "usca"))
    findings = error_rate.improves(one(pd.concat([data, early, other])))
    assert findings["measured"].verdict == expected


@pytest.mark.parametrize(("slopes", "expected"), [
    ((-0.5, -0.5), "holds"), ((-0.5, -0.3), "stops"), ((-0.3, -0.5), "stops"),
    ((-0.4, -0.5), "holds"),  # exactly the printed one, without any error
])  # fmt: skip
def test_exponent_above_the_printed_one_stops_the_run(slopes, expected, monkeypatch):
    """Half widths of 0.0196, errors of 0.01; at eps = inf alone."""
    fits = table("setting slope epsilon", ("a", slopes[0], math.inf), ("b", slopes[1], math.inf),
                 ("a", 9.0, 1.0), printed=-0.4)  # fmt: skip
    wide = 0.0 if expected == "holds" and slopes[0] == -0.4 else 0.0196
    fits = fits.assign(low=fits["slope"] - wide, high=fits["slope"] + wide)
    monkeypatch.setattr(
        "dpbandits.reproduction.us.claims.error_rate.fitted_rates", lambda data: fits
    )
    data = pd.DataFrame({"t": [4, 9, 16]})
    assert outcome(error_rate.exponent, data) == expected
    if expected == "stops":
        return
    finding = error_rate.exponent(data)
    assert finding.numbers["excess"] == pytest.approx(wide / 0.4, abs=0.005)  # 4.89 times 0.01
