"""KL's checks say nothing where the proof behind them is missing: ties, empty tables, one case."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from flint import arb

from dpbandits.core.errors import ProofError
from dpbandits.core.ledger import get_claim
from dpbandits.offline.claims import scope
from dpbandits.offline.engine.crossing import Crossing, Step, bradley_terry, composition_with_k
from dpbandits.offline.engine.crossing import single_actions as single
from dpbandits.offline.engine.verdicts import attacked, proved, refuted
from dpbandits.offline.linear.certificate import AdditionCertificate

FAILS, TIES = Step("fails", arb(2), arb(1)), Step("ties", arb(1), arb(1))


def test_a_tie_crosses_nothing():
    assert not Crossing(arb(1), arb(1), "tie", steps=(FAILS,)).proved
    with pytest.raises(ProofError, match="tie"):
        refuted(Crossing(arb(1), arb(1), "tie", steps=(FAILS,)), "repaired")
    found = refuted(Crossing(arb(2), arb(1), "more", steps=(TIES, FAILS)), "repaired")
    assert (found.verdict, found.proof_step, found.method) == ("violated", "fails", "certified")
    assert (found.repaired_verdict, found.repaired_method) == ("holds", "proof")


def test_a_ball_around_the_bound_crosses_nothing():
    wide = arb(1.5, 0.6)  # 1.5 +- 0.6 may be below 1
    assert not Crossing(wide, arb(1), "wide", steps=(FAILS,)).proved
    assert not Step("wide", wide, arb(1)).fails


def test_a_refutation_without_a_step_that_fails_is_refused():
    with pytest.raises(ProofError, match="no step"):
        refuted(Crossing(arb(2), arb(1), "more", steps=(TIES, TIES)), "repaired")


def test_where_nothing_is_allowed_there_is_no_factor():
    assert (
        "where 0 is allowed"
        in refuted(Crossing(arb(1), arb(0), "zero", steps=(FAILS,)), "repaired").slack
    )
    found = refuted(Crossing(arb(3), arb(2), "more", epsilon=arb(0.5), steps=(FAILS,)), "repaired")
    assert found.slack == "exceeded by a factor 1.5"
    assert found.measured.endswith("at eps=0.5")


def test_counterexamples_by_hand():
    """1/(1 + e^-(e - 1)) with e^-1.718282 = 0.179374 is 0.847907, e/(e + 1) is 0.731059; 50 single
    actions of 1/50 add up to 1; 1 - (9999/10000)^1000 = 0.0951671 against 1/10000 + 1/1000."""
    found = bradley_terry()
    assert float(found.measured) == pytest.approx(0.847907, abs=1e-6)
    assert float(found.allowed) == pytest.approx(0.731059, abs=1e-6)
    assert (float(single().measured), float(single().allowed)) == (1.0, pytest.approx(0.02))
    found = composition_with_k()
    assert float(found.measured) == pytest.approx(0.0951671, abs=1e-7)
    assert float(found.allowed) == pytest.approx(0.0011, abs=1e-12)


@pytest.mark.parametrize("rows", [[], [("KL-T1-pure", 0.9, 1)], [("KL-T1-pure", 0.9, 0)] * 2])
def test_a_proof_needs_a_table_that_agrees(rows):
    columns = ["claim", "worst", "crossed"]
    table = pd.DataFrame(rows, columns=columns).assign(data_sets=3, family="f", q95=0.1)
    if rows and not any(row[2] for row in rows):
        assert proved(lambda _: table, "KL-T1-pure", "1", "b").verdict == "holds"
    else:
        with pytest.raises(ProofError, match="contradicts"):
            proved(lambda _: table, "KL-T1-pure", "1", "b")


@pytest.mark.parametrize("rows", [[], [("B", 0.5, 0), ("B (small delta)", 1.1, 1)]])
def test_an_attack_must_have_been_run_and_have_failed(rows):
    table = pd.DataFrame(rows, columns=["bound", "ratio", "crossed"])
    with pytest.raises(ProofError, match="crosses"):
        attacked(lambda _: table.assign(instance="{}", instances=1), "B")


@pytest.mark.parametrize("noisy", [(2.0, 2.0), (1.0, 1.0)])  # (loss, reward); ours: (2, 1)
def test_noise_must_win_in_both(noisy, monkeypatch):
    monkeypatch.setattr(scope, "baseline_instance", lambda: ((2.0, 1.0), noisy))
    with pytest.raises(ProofError, match="more reward"):
        get_claim("KL-S4.4-baselines").verdicts(None)


@pytest.mark.parametrize(("basic", "advanced"), [(1.0, 2.0), (2.0, 1.0)])
def test_no_composition_theorem_may_be_crossed(basic, advanced):
    row = {"exact": 1.0 + 1e-8, "basic": basic, "advanced": advanced}
    with pytest.raises(ProofError, match="composition"):
        get_claim("KL-S4.4-composition").verdicts(lambda _: pd.DataFrame([row]))


def test_no_tilt_leaves_the_support_of_q():
    """KL(q', q) is infinite there, whatever it would save: the bound stays that of q, here 1."""
    saves = lambda p, tilt: 1.0 - tilt[:, 1]  # noqa: E731
    changes = np.array([[0.0, 5.0]])
    made = SimpleNamespace(_log_moment=saves, _changes_at=lambda: changes, at=())
    with np.errstate(divide="raise"):
        best, tilt = AdditionCertificate._tilted(made, np.full((1, 2), 0.5), np.array([[1.0, 0.0]]))
    assert best.tolist() == [1.0]
    assert tilt.tolist() == [[1.0, 0.0]]
