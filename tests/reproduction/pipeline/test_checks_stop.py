"""A check that reads no table gives no verdict at a tie, beyond its bound, or if one case of many
fails: what it computes is replaced by the smallest failure. Those that read tables are in
test_verdicts_turn.py, certificates in tests/reproduction/certificates.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb
from scratch import ROOT

from dpbandits.core.errors import InputError, ProofError
from dpbandits.core.files import read_table
from dpbandits.reproduction.fl.claims import estimation, lower_bound, peeling, privacy, tails
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.claims import lemmas
from dpbandits.reproduction.hu.claims import privacy as lazy
from dpbandits.reproduction.kl.claims import general
from dpbandits.reproduction.kl.claims.findings import crossed
from dpbandits.reproduction.kl.counterexamples.counterexample import Counterexample, Step
from dpbandits.reproduction.ledger.claims import claims, get_claim

ROUNDED, SIDES = 1 + 1e-8, np.array([0.1, 1.0, 0.2])  # what is beyond rounding
EPOCH, ONE_STEP = theory.sufficient_epoch, privacy.one_step


def losing_more(rounds, epsilon):
    return SimpleNamespace(worst=lambda _: (epsilon * ROUNDED,))


def tied_at_5(epsilon):
    event = ONE_STEP(epsilon)
    tied = SimpleNamespace(excess=lambda _: arb(privacy.DELTA), epsilon=event.epsilon)
    return tied if epsilon == 5.0 else event


STOPPED = [  # claim, module, what it computes there, the smallest failure
    ("HU-T2", lazy, "LAWS", {"Anytime-Lazy-UCB": losing_more}),
    ("HU-T4", lazy, "LAWS", {"Lazy-DP-TS": losing_more}),
    ("HU-T8", lazy, "pure_loss", lambda scale, *_: arb(1 / scale)),
    ("HU-ABS", lazy, "pure_loss", lambda scale, *_: arb(1 / scale)),
    ("HU-L6", lemmas, "lemma_6_sides", lambda states: (SIDES * ROUNDED, np.maximum(SIDES, 0.3))),
    ("HU-L24", lemmas, "lemma_24_share",
     lambda r, best, gap, e: ROUNDED if (r, best, gap) == (3, 0.6, 0.3) else 0.5),
    ("HU-L19", theory, "lemma_19_term", lambda s: {6: 0.2 + 1e-8}.get(s, 0.0)),
    ("HU-L19", theory, "lemma_19_term", lambda s: {6: 0.1, 14: 0.1}.get(s, 0.0)),  # 0.4 in all
    ("HU-L20", theory, "sufficient_epoch", lambda *given: EPOCH(*given) - 2),
    ("FL-LD.1", peeling, "basic_peeling_sides", lambda *_, c: (1, 1)),
    ("FL-LD.2", peeling, "contraction_sides", lambda *_: (1, 1)),
    ("FL-LA.2", peeling, "lemma", lambda *_: ("open", 0.0, 1.0)),
    ("FL-LA.2", peeling, "lemma", lambda *_: ("holds", 0.0, 0.009)),
    ("FL-LE.1", tails, "largest_tail", lambda k, c: (0.5, 0.5 - (k == 10) * 1e-11)),
    # P(max > ...) d^2/2 > 1 at every d: at 64 it is 1
    ("FL-E2", tails, "normal_maximum", lambda d, _: arb(1) if d != 64 else arb(2) / 64**2),
    # P(max > ...) > 1/n at every n: at 256 it is 1/n
    ("FL-E4", tails, "normal_maximum", lambda n, _: arb(1) if n != 256 else arb(1) / 256),
    ("FL-T4.1c", estimation, "step_c", lambda _: (1.0, 0.5, 1.0)),
    ("FL-Crho", lower_bound, "quartic", lambda t, epsilon, _: arb(t - 1 if epsilon != 0.03 else 0)),
    # D_2 of the leak is 300 ln 10 - ln 100 = 686.17; two steps allow rho_0^4/2 each
    ("FL-C4b", lower_bound, "root", lambda *_: 686.2**0.25),
    ("FL-S4", privacy, "one_step", tied_at_5),
    # (loss, reward) of ours and of the noisy one: as much reward, or as large a loss
    ("KL-S4.4-baselines", general, "baseline_instance", lambda: ((2.0, 1.0), (1.0, 1.0))),
    ("KL-S4.4-baselines", general, "baseline_instance", lambda: ((2.0, 1.0), (2.0, 2.0))),
]  # fmt: skip


@pytest.mark.parametrize(("id", "module", "name", "instead"), STOPPED)
def test_a_check_that_fails_in_one_case_stops(id, module, name, instead, monkeypatch):
    monkeypatch.setattr(module, name, instead)
    golden = ROOT / "tests/golden" / id[:2].lower()
    with pytest.raises((ProofError, InputError)):  # the latter: its values contradict the verdict
        get_claim(id).verdicts(lambda table: read_table(golden / f"{table}.csv"))


def test_divergence_just_beyond_what_is_allowed_refutes(monkeypatch):
    monkeypatch.setattr(lower_bound, "root", lambda *_: 686.1**0.25)
    assert get_claim("FL-C4b").verdicts(None)[0].verdict == "violated"


FAILS, TIES = Step("fails", arb(2), arb(1)), Step("ties", arb(1), arb(1))


@pytest.mark.parametrize(("measured", "steps"), [
    (arb(1), (FAILS,)),  # a tie
    (arb(1.5, 0.6), (FAILS,)),  # 1.5 +- 0.6 may be below 1
    (arb(2), (TIES, TIES)),  # no step fails
])  # fmt: skip
def test_no_counterexample(measured, steps):
    with pytest.raises(ProofError):
        crossed(Counterexample(measured, arb(1), steps=steps), "X")
    assert crossed(Counterexample(arb(2), arb(1), steps=(TIES, FAILS)), "X").verdict == "violated"


INEQUALITIES = {
    f"{claim.id}, {reading.reading}": reading.inequality
    for claim in claims().values() for reading in claim.readings if reading.inequality
}  # fmt: skip


@pytest.mark.parametrize("row", INEQUALITIES)
def test_an_inequality_with_its_sides_exchanged_is_refused(row):
    python = f"{INEQUALITIES[row].python}\nleft, right = right, left"
    with pytest.raises(ValueError, match="is not proved to exceed right"):
        INEQUALITIES[row].model_copy(update={"python": python}).found()
