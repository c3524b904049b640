"""What rows of KL's tables and of its ledger say, at made-up numbers."""

import json
from math import exp, inf, log, nan

import numpy as np
import pandas as pd
import pytest
from flint import arb

from dpbandits.core.attack import Found
from dpbandits.core.errors import ProofError
from dpbandits.offline.theory import Bound
from dpbandits.reproduction.kl.attacks.attack import Attack
from dpbandits.reproduction.kl.claims import general
from dpbandits.reproduction.kl.claims.findings import (
    along,
    attacked,
    counterexample_points,
    crossed,
    proved,
    tightness_points,
    under_curve,
)
from dpbandits.reproduction.kl.counterexamples.counterexample import Counterexample, Step
from dpbandits.reproduction.kl.studies import attacks, choice
from dpbandits.reproduction.ledger.claims import get_claim


# --- rows of tables -----------------------------------------------------------------------------
def test_gains_within_a_loss():
    """A loss of just epsilon is allowed; the best seen, not the best true one, is taken."""
    params = type("Params", (), {"objective_eta": (0.5,), "epsilon": (0.05, 0.1, 1.0)})
    means, fitted = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    laws = np.log([[0.6, 0.4], [0.2, 0.8]])
    family = np.array([0.1, 1.0]), laws, [(3.0, 1.0), (2.0, 0.0)]

    def share(p):
        j = p - 0.5 * (p * log(2 * p) + (1 - p) * log(2 - 2 * p))
        return (j - 0.5) / (0.5 * log((exp(2) + 1) / 2) - 0.5)

    expected = [  # epsilon, share, in hindsight, eta, beta0
        (0.05, 0.0, 0.0, inf, 0.0),
        (0.1, share(0.5), share(0.6), inf, 0.0),
        (1.0, share(0.2), share(0.6), 2.0, 0.0),
    ]
    for row, (epsilon, *numbers) in zip(
        choice.gains_of(params, means, fitted, {"KL": family}), expected, strict=True
    ):
        assert row[:3] == (0.5, epsilon, "KL")
        assert row[3:] == pytest.approx(numbers)


def test_tightness_counts_crossings_beyond_rounding(monkeypatch):
    """The instance is shown beside the part, random or climbing, that holds the largest ratio."""
    values = np.array([1 + 5e-7, 0.5, 4.0]), np.array([1.0, 1.0])
    found = Found(5, 4.0, 1, np.zeros(1), *values)
    target = Attack("KL-x", 1, None, None)
    monkeypatch.setattr(attacks, "_found", lambda *_: [(target, found, {"d": 1})])
    drawn, climbed = attacks.tightness(attacks.Attacks()).to_dict("records")
    assert (drawn["family"], drawn["data_sets"], drawn["crossed"]) == ("random, d = 1", 3, 1)
    assert (drawn["worst"], json.loads(drawn["data_set"])) == (4.0, {"d": 1})
    assert (climbed["data_sets"], climbed["crossed"], climbed["data_set"]) == (2, 0, "")


# --- rows of the ledger -------------------------------------------------------------------------
ROWS = pd.DataFrame(
    [("T", 0.5, 0, 0, 10), ("T", 0.75, 2, 0, 10), ("T (small delta)", 0.25, 1, 0, 1000)],
    columns=["bound", "ratio", "dimension", "crossed", "instances"],
)


def test_numbers_of_an_attack():
    found = {"near": 0.75, "near_d": 2, "small": 0.25, "small_d": 1, "instances": 1020}
    assert attacked(lambda _: ROWS, "T") == found
    assert attacked(lambda _: ROWS[:1], "T") == {"near": 0.5, "near_d": 0, "instances": 10}
    with pytest.raises(ProofError, match="crosses"):
        attacked(lambda _: ROWS.assign(crossed=[0, 0, 1]), "T")


def test_numbers_beside_a_proof():
    rows = [("KL-x", "designed", 30, 0, 0.2, 0.4), ("KL-x", "searched", 12, 0, 0.3, 0.8),
            ("KL-y", "designed", 99, 1, 9.0, 9.0)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["claim", "family", "data_sets", "crossed", "q95", "worst"])
    found = proved(lambda _: table, "KL-x")
    assert (found.verdict, found.numbers) == ("", {"worst": 0.8, "count": 42, "slack": 1.25})
    both = tightness_points(lambda _: table, "KL-x").set_index("series")
    q95, worst = both.loc["95% of the data sets"], both.loc["worst data set"]
    assert worst["x"].tolist() == ["designed (30)", "searched (12)"]
    assert (q95["measured"].tolist(), worst["measured"].tolist()) == ([0.2, 0.3], [0.4, 0.8])
    assert (worst["at_most"] == 1).all()
    assert proved(lambda _: table[:1], "KL-x").numbers["count"] == 30
    with pytest.raises(ProofError):
        proved(lambda _: table, "KL-y")


def losses(theorem, repaired):
    """Exact losses 1, 0.1 and 0.01 at n = 10, 100 and 1000."""
    rows = [("bandit", "n", n, name, value / n, 10 / value) for n in (10, 100, 1000)
            for name, value in (("exact loss", 10), ("theorem", theorem), ("repaired", repaired))
            ]  # fmt: skip
    columns = ["problem", "varied", "value", "quantity", "epsilon", "exact_over"]
    return pd.DataFrame(rows, columns=columns)


def test_losses_over_n_obey_what_is_proved():
    found = along(lambda _: losses(20, 11), "bandit", kept=True)
    assert found == {"power": pytest.approx(-1), "share": 0.5}
    assert along(lambda _: losses(5, 11), "bandit")["share"] == 2  # a refuted theorem
    for theorem, repaired, kept in ((5, 11, True), (20, 9, False)):
        with pytest.raises(ProofError, match="loss_vs"):
            along(lambda _, own=(theorem, repaired): losses(*own), "bandit", kept)


@pytest.mark.parametrize(("printed", "over"), [(0.2, 1), (0.6, 0)])
def test_delta_curves_are_counted_and_stay_below_the_corrected_bound(printed, over):
    rows = [("bandit, a", name, epsilon, delta) for epsilon in (0.0, 1.0)
            for name, delta in (("exact", 0.5), ("theorem", printed), ("repaired", 0.7))
            ]  # fmt: skip
    data = pd.DataFrame(rows, columns=["case", "quantity", "epsilon", "delta"])
    seen = {"drawn_at": 0.0, "drawn": 0.5, "drawn_allowed": printed}
    expected = {"exceeded": over, "cases": 1} | (seen if over else dict.fromkeys(seen, nan))
    assert under_curve(lambda _: data, "bandit") == pytest.approx(expected, nan_ok=True)
    with pytest.raises(ProofError, match="corrected"):
        under_curve(lambda _: data.replace({"delta": {0.7: 0.4}}), "bandit")


COINS = [[arb(3) / 4, arb(1) / 4], [arb(1) / 2, arb(1) / 2]]
FAILS = (Step("fails", arb(2), arb(1)),)


def coins(repaired=(), measured=0.25, epsilon=0.25, allowed=0.125):
    """delta(eps) = 3/4 - e^eps/2 in one direction, 1/2 - e^eps/4 in the other."""
    epsilon = None if epsilon is None else arb(epsilon)
    bounds = tuple(repaired)
    return Counterexample(arb(measured), arb(allowed), epsilon, COINS, FAILS, repaired=bounds)


def test_points_of_a_counterexample_by_hand():
    corrected = Bound(0.5, 0.125), Bound(0.25, 0.25)
    (frame,) = counterexample_points(coins(corrected))
    x = frame["x"].astype(float).to_numpy()
    exact = np.maximum(np.maximum(0.75 - np.exp(x) / 2, 0.5 - np.exp(x) / 4), 0)
    assert frame["measured"].to_numpy() == pytest.approx(exact, abs=1e-5)
    assert frame["at_most"].isna().tolist() == (x < 0.25).tolist()
    assert set(frame["at_most"].dropna()) == {0.125}
    least = np.where(x < 0.25, nan, np.where(x < 0.5, 0.25, 0.125))
    assert frame["repaired_bound"].to_numpy() == pytest.approx(least, nan_ok=True)
    assert {0.0, 0.25, 0.5} < set(x)
    assert x.max() == pytest.approx(0.55)  # 1.1 x 0.5, beyond twice the eps


def test_a_bound_on_the_pure_loss_allows_no_delta_from_there_on():
    loss, frame = counterexample_points(coins(measured=log(2), epsilon=None, allowed=0.5))
    assert loss[["measured", "at_most"]].to_numpy() == pytest.approx(np.array([[log(2), 0.5]]))
    x = frame["x"].astype(float).to_numpy()
    assert x.max() == pytest.approx(1.1 * log(2))
    assert set(frame["at_most"][x >= 0.5]) == {0.0}
    assert frame["at_most"][x < 0.5].isna().all()


def test_first_point_is_at_the_very_eps_that_is_promised():
    """delta = 3/4 - e^eps/4 just below ln 3, where a fraction near eps would not do."""
    epsilon = log(3) - 1e-13
    pair = [arb(0.75), arb(0.25)], [arb(0.25), arb(0.75)]
    near = Counterexample(arb(0.5), arb(0), arb(epsilon), pair, FAILS, repaired=(Bound(0.0, 1.0),))
    exact = 0.75 - arb(epsilon).exp() / 4
    assert 0 < exact < 1e-13
    (frame,) = counterexample_points(near)
    assert float(frame.measured[8]) == pytest.approx(float(exact), rel=1e-2)


def test_numbers_of_a_refutation():
    steps = tuple(Step(t, arb(x), arb(1)) for t, x in (("a", 1), ("b", 2), ("c", 3), ("b", 4)))
    found = Counterexample(arb(3), arb(2), arb(1), None, steps)
    assert found.broken == "b; then c"
    numbers = crossed(found, "X", near=0.5).numbers
    assert numbers == {"left": 3, "right": 2, "ratio": 1.5, "epsilon": 1, "near": 0.5}


# --- no verdict without its proof: ties, wide balls, a step that holds ---------------------------
TIES = Step("ties", arb(1), arb(1))


def test_equality_is_no_counterexample():
    assert not Counterexample(arb(1), arb(1), steps=FAILS).proved
    with pytest.raises(ProofError, match="X"):
        crossed(Counterexample(arb(1), arb(1), steps=FAILS), "X")
    found = crossed(Counterexample(arb(2), arb(1), steps=(TIES, *FAILS)), "X", near=0.5)
    assert (found.verdict, found.numbers["ratio"], found.numbers["near"]) == ("violated", 2, 0.5)


def test_ball_that_contains_the_bound_is_no_counterexample():
    wide = arb(1.5, 0.6)  # 1.5 +- 0.6 may be below 1
    assert not Counterexample(wide, arb(1), steps=FAILS).proved
    assert not Step("wide", wide, arb(1)).fails


def test_a_refutation_without_a_step_that_fails_is_refused():
    with pytest.raises(ProofError, match="no step"):
        crossed(Counterexample(arb(2), arb(1), steps=(TIES, TIES)), "X")


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
