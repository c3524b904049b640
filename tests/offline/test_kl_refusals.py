"""KL's checks say nothing where the proof behind them is missing: ties, empty tables, one case."""

import pandas as pd
import pytest
from flint import arb

from dpbandits.core.claims import get_claim
from dpbandits.core.errors import ProofError
from dpbandits.offline.claims import general
from dpbandits.offline.claims.verdicts import crossed
from dpbandits.offline.counterexamples.counterexample import Counterexample, Step
from dpbandits.offline.counterexamples.general import composition_with_k
from dpbandits.offline.counterexamples.general import single_actions as single

FAILS, TIES = Step("fails", arb(2), arb(1)), Step("ties", arb(1), arb(1))


def test_equality_is_no_counterexample():
    assert not Counterexample(arb(1), arb(1), steps=(FAILS,)).proved
    with pytest.raises(ProofError, match="X"):
        crossed(Counterexample(arb(1), arb(1), steps=(FAILS,)), "X")
    found = crossed(Counterexample(arb(2), arb(1), steps=(TIES, FAILS)), "X", near=0.5)
    assert (found.verdict, found.numbers["ratio"], found.numbers["near"]) == ("violated", 2, 0.5)


def test_ball_that_contains_the_bound_is_no_counterexample():
    wide = arb(1.5, 0.6)  # 1.5 +- 0.6 may be below 1
    assert not Counterexample(wide, arb(1), steps=(FAILS,)).proved
    assert not Step("wide", wide, arb(1)).fails


def test_a_refutation_without_a_step_that_fails_is_refused():
    with pytest.raises(ProofError, match="no step"):
        crossed(Counterexample(arb(2), arb(1), steps=(TIES, TIES)), "X")


def test_counterexamples_by_hand():
    """50 single actions of 1/50 add up to 1; 1 - (9999/10000)^1000 = 0.0951671 against 1/10000 +
    1/1000."""
    assert (float(single().measured), float(single().allowed)) == (1.0, pytest.approx(0.02))
    found = composition_with_k()
    assert float(found.measured) == pytest.approx(0.0951671, abs=1e-7)
    assert float(found.allowed) == pytest.approx(0.0011, abs=1e-12)


@pytest.mark.parametrize("noisy", [(2.0, 2.0), (1.0, 1.0)])  # (loss, reward); ours: (2, 1)
def test_baseline_claim_needs_more_reward_at_less_loss(noisy, monkeypatch):
    monkeypatch.setattr(general, "baseline_instance", lambda: ((2.0, 1.0), noisy))
    with pytest.raises(ProofError, match="more reward"):
        get_claim("KL-S4.4-baselines").verdicts(None)


@pytest.mark.parametrize(("basic", "advanced"), [(1.0, 2.0), (2.0, 1.0)])
def test_no_composition_theorem_may_be_crossed(basic, advanced):
    row = {"exact": 1.0 + 1e-8, "basic": basic, "advanced": advanced}
    with pytest.raises(ProofError, match="composition"):
        get_claim("KL-S4.4-composition").verdicts(lambda _: pd.DataFrame([row]))
