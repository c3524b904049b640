"""Equality and ties in KL's calibrations, files, preferences and studies."""

from math import inf, log

import numpy as np
import pandas as pd
import pytest
from lines import line

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import PrivacyLoss
from dpbandits.offline import rivals, theory
from dpbandits.offline.engine.certificates import Ratios, delta_of_spread, pairwise
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear.perturbation import PerturbedRidge
from dpbandits.offline.mechanisms import (
    calibration,
    feature_calibration,
    inputs,
    records,
)
from dpbandits.offline.preference import boxes as preference_boxes
from dpbandits.offline.preference import loss as preference_loss
from dpbandits.offline.preference.certificate import PreferenceCertificate
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.mle import _spanned, fit_many
from dpbandits.offline.preference.perturbation import ObjectivePerturbation
from dpbandits.offline.problem import BanditData, Preferences, objective
from dpbandits.offline.studies import delta_curves, loss_vs, utility_vs_privacy

EVEN = np.log([0.5, 0.5])


# --- calibration --------------------------------------------------------------------------------
def test_the_smallest_eps_of_a_delta_that_falls_at_once():
    def loss(epsilons):
        return type("Found", (), {"delta": {e: 1.0 if e < 0.25 else 0.5 for e in epsilons}})

    assert calibration._epsilon_at(loss, 0.5) == pytest.approx(0.25, rel=1e-9)


def test_a_target_that_is_just_met_is_met(monkeypatch, files):
    """Whatever eta is, the loss is the target's: so the least of all is taken."""
    path = files(arms="arm,reward\n0,1\n0,0\n1,1\n1,0\n")["arms"]
    met = Worst((1.0,))
    met.pure, met.delta = 1.0, {1.0: 0.25}
    monkeypatch.setattr(calibration, "exact_loss", lambda *a: met)
    monkeypatch.setattr(calibration, "_epsilon_at", lambda *a: 1.0)
    params = calibration.BanditTarget(data=path, beta0=1.0)
    for delta in (0.0, 0.25):
        assert calibration.calibrate_bandit(params, 1.0, delta).noise["eta"] < 2e-9
    met.pure, met.delta = 1.0001, {1.0: 0.2501}
    for delta in (0.0, 0.25):
        with pytest.raises(InputError, match="no eta gives"):
            calibration.calibrate_bandit(params, 1.0, delta)

    audit = line([[1.0], [0.5]])
    for pure, delta_found, delta in ((1.0, 0.5, 0.0), (2.0, 0.25, 0.25)):
        loss = PrivacyLoss(pure, {1.0: delta_found}, {}, "exact")
        params = type("Params", (), {"beta0": 1.0, "objective_eta": 0.0, "data": "d"})
        found = feature_calibration._calibrate(
            params, lambda eta, beta0: audit, lambda *a, loss=loss: loss, 1.0, delta
        )
        assert found.noise["eta"] < 1e-8


def test_by_reward_alone_only_the_least_eta_is_taken():
    """A pessimist prefers the worse arm: a larger eta would earn more, but is not asked for."""
    laws = {1.0: np.log([0.3, 0.7])}
    found = calibration.highest({1.0: 0.5}, laws, [1.0, 0.0], EVEN, 0.0, lambda b, e: True)
    assert found == (0.5, 1.0)


def test_how_often_eta_is_doubled():
    most = 2.0 ** (feature_calibration.DOUBLINGS - 1)
    assert feature_calibration.least_eta(lambda eta: eta >= 2 * most) is None
    found = feature_calibration.least_eta(lambda eta: eta >= most)
    assert most <= found <= 1.002 * most


def test_who_is_to_blame_for_no_calibration():
    data = BanditData(np.array([2, 1]), np.zeros(2), np.zeros(2), np.zeros(2))
    params = type("Params", (), {"data": "file"})
    assert "arm 1 has 1 records" in calibration._refusal(params, data, 1.0, 0.0)
    data = BanditData(np.array([2, 2]), np.zeros(2), np.zeros(2), np.zeros(2))
    assert "leaves no other choice" in calibration._refusal(params, data, 1.0, 0.0)


# --- files --------------------------------------------------------------------------------------
def test_numbers_at_their_limits_are_allowed():
    assert [inputs.moderate(x) for x in (0.0, 1e-100, 1e100)] == [0.0, 1e-100, 1e100]
    for x in (0.99e-100, 1.01e100):
        with pytest.raises(ValueError, match="from 1e-100 to 1e100"):
            inputs.moderate(x)
    frame = pd.DataFrame({"arm": [0, 2], "x1": [1 + 1e-9, -1.0], "r": [0.0, 1.0]})
    assert records.whole(frame, "f", "arm", 2).tolist() == [0, 2]
    assert records.vectors(frame, "f", ["x1"], 1.0).tolist() == [[1 + 1e-9], [-1.0]]
    assert records.between(frame, "f", "r", 0.0, 1.0).tolist() == [0.0, 1.0]
    with pytest.raises(InputError, match="from 0 to 1"):
        records.whole(frame, "f", "arm", 1)
    most = pd.DataFrame({"arm": [records.MOST_ARMS]})
    assert records.whole(most, "f", "arm", None).tolist() == [records.MOST_ARMS]
    with pytest.raises(InputError, match="to K-1"):
        records.whole(most + 1, "f", "arm", None)
    assert records.shown("x" * 40) == "x" * 40
    assert records.shown("x" * 41) == "x" * 37 + "..."


# --- preferences --------------------------------------------------------------------------------
def even(times=2, radius=1.0):
    axes = 2.0 * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    own = {"eta": 0.5, "beta0": 0.5, "penalty": 1.0, "radius": radius}
    return PreferenceAudit(Preferences(np.repeat(axes, times, axis=0)), np.eye(2), **own)


def test_a_move_that_just_reaches_the_surface_may_end_on_it():
    """theta = 0, so the new MLE is on the surface if it moves by B: then only halves are known."""
    free = PreferenceCertificate(even())
    assert np.array_equal(free.theta, np.zeros(2))
    touching = PreferenceCertificate(even(radius=free.moved))
    assert touching.near == pytest.approx(free.near / 2, rel=1e-9)


def test_what_is_added_for_rounding_to_the_bounds_of_preferences(monkeypatch):
    """A factor 1 + 1e-12 on each bound, 1 + 1e-9 on a deviation and on the sides of the first box.

    H = h = 4 (two of each, differences 2): root 1/2, |y'form y| at most (tau (near 2/h + far widest
    /root h))^2 for the plain form, tau 1/2."""
    own = PreferenceCertificate(even())
    plain = pairwise(own.log_pi, own.change).least(Ratios(own.log_pi, own._forth(), own._back()))
    own.slack = 0.0
    for found, bound in ((own._ratios().forth, plain.forth), (own._ratios().back, plain.back)):
        assert found / bound - 1 == pytest.approx(1e-12 * np.ones(2), rel=1e-2, abs=0)
    bound = float(delta_of_spread(*own.spread, 1.0, 0.05))
    own.ratios = type("Loose", (), {"pure": 1.0, "delta": lambda self, epsilon: 2.0})()
    assert own.delta(0.05) / bound - 1 == pytest.approx(1e-12, rel=1e-2, abs=0)
    most = 0.5 * (own.near * 2 / 4 + own.far * own.widest / 2)
    assert own._deviation(np.eye(2)) * 0.5 / most - 1 == pytest.approx(1e-9, rel=1e-4, abs=0)

    asked = []
    monkeypatch.setattr(preference_boxes, "branch_and_bound", lambda *a: asked.append(a) or 0.0)
    preference_boxes.certified_additions(even(), 0.1)
    centre, half = asked[0][:2]
    assert half / own.moved - 1 == pytest.approx(1e-9 * np.ones((1, 2)), rel=1e-4, abs=0)
    assert centre.tolist() == [[0, 0]]


def test_another_policy_is_not_told_by_the_spread_of_this_one(monkeypatch):
    audit = even()
    own, other = PreferenceCertificate(audit), PreferenceCertificate(audit, seen_from=audit.log_pi)
    monkeypatch.setattr(PreferenceCertificate, "spread", (0.0, 0.0))
    assert own.delta(0.01) < 1e-6 < other.delta(0.01) == other.ratios.delta(0.01)


@pytest.mark.parametrize(("most", "certified"), [(4, True), (3, False)])
def test_up_to_how_many_records_swaps_are_certified(most, certified, monkeypatch):
    asked = []
    monkeypatch.setattr(preference_loss, "SWAPPED", most)
    monkeypatch.setattr(preference_loss, "SEARCHED", 2)
    monkeypatch.setattr(Worst, "in_other_rows", lambda *a: asked.append("rows"))
    audit = even()
    monkeypatch.setattr(audit, "_swaps_of", lambda *a: asked.append("search"))
    found = audit.swaps(Worst((0.1,)))
    assert np.isfinite(found[None]) == certified
    assert (found[0.1] < 1.0, found[0.1] <= 1.0) == (certified, True)
    assert asked == ["search"] * 2 + ["rows"] * certified
    assert audit.swaps(Worst()) == {None: found[None]}  # by the pure loss: no delta is needed


def test_problems_with_and_without_a_ball_are_solved_side_by_side():
    signed = np.array([[1.0, 0.5], [-0.5, 1.0], [-1.0, -0.25], [0.25, -1.0], [0.5, 0.5]])
    none = np.zeros((2, 0, 2)), np.zeros((2, 0))
    both = fit_many(signed, np.ones(5), *none, np.array([np.inf, 0.01]))
    for i, radius in enumerate((np.inf, 0.01)):
        alone = fit_many(signed, np.ones(5), none[0][:1], none[1][:1], radius)
        assert both[i] == pytest.approx(alone[0], rel=1e-9)
    assert np.linalg.norm(both[1]) == pytest.approx(0.01)
    assert np.linalg.norm(both[0]) > 0.02


def test_directions_without_records_are_told_from_rounding():
    """Records along one oblique line: the other eigenvalue is 0 up to rounding, of either sign."""
    for turn in np.linspace(0.1, 3, 12):
        u = np.array([np.cos(turn), np.sin(turn)])
        signed = np.outer([1.0, -0.7, 0.3], u)
        (found,) = _spanned(signed, np.ones(3), np.zeros((1, 0, 2)), np.zeros((1, 0)))
        assert found == pytest.approx(np.outer(u, u), abs=1e-7)


@pytest.mark.parametrize("angles", [(0, 0, 3), (0, np.pi, 4), (0, 4, 5), (0, 2, 1), (3, 4, 5),
                                    (0, 1, 1, 3, 5), (0, 1, 0.9, 3, 5)])  # fmt: skip
def test_actions_must_go_once_round(angles):
    angles, one = np.array(angles, float), np.ones((1, 2))
    with pytest.raises(ValueError, match="once round the circle"):
        PerturbedRidge(angles, np.eye(2)[None], one, "output")
    with pytest.raises(ValueError, match="once round the circle"):
        ObjectivePerturbation(one, angles)


@pytest.mark.parametrize("law", [PerturbedRidge, ObjectivePerturbation])
def test_a_loss_that_rounding_hides_is_infinite(law, monkeypatch):
    """One probability of all is hidden; or none, and the largest of two neighbours' counts."""
    rival, rest = object.__new__(law), () if law is PerturbedRidge else (None, None)
    seen = np.array([[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]])
    for laws, loss in ((seen, log(4)), (np.vstack([seen, [1.0, 0.0]]), inf)):
        with np.errstate(divide="ignore"):
            logs = np.log(laws)
        monkeypatch.setattr(law, "log_policies", lambda *a, logs=logs: logs)
        found, own = rival.loss(1.0, *rest)
        assert found == pytest.approx(loss)
        assert np.exp(own) == pytest.approx([0.5, 0.5])


# --- problems, rivals, studies ------------------------------------------------------------------
def test_an_action_that_is_never_played_costs_nothing():
    with np.errstate(divide="ignore"):
        found = objective(np.log([1.0, 0.0]), np.array([0.75, 0.5]), EVEN, 1.0)
    assert found == pytest.approx(0.75 - log(2))


def test_exponents_that_say_nothing_are_infinite():
    assert theory.exp(709.0) == inf
    assert theory.exp(708.9) < inf


def test_rivals_keep_one_record_of_each_arm():
    data = BanditData(np.array([2, 1]), np.array([1.0, 1.0]), np.array([0, 1.0]), np.ones(2))
    found = [(c.tolist(), s.tolist()) for c, s in rivals.bandit_neighbours(data)]
    assert found == [
        ([3, 1], [1, 1]), ([3, 1], [2, 1]), ([1, 1], [1, 1]), ([1, 1], [0, 1]),
        ([2, 2], [1, 1]), ([2, 2], [1, 2]),
    ]  # fmt: skip


def test_what_a_loss_at_its_target_may_use():
    """Of three noise levels; the loss is that to the worse of two neighbours."""
    table = np.array([[1.0, 0.4], [0.7, 2.0], [3.0, 2.5]])
    losses = utility_vs_privacy.Losses(lambda level, some: table[level, some])
    utilities = np.array([0.1, 0.2, 0.3])
    found = [
        utility_vs_privacy._best_within(losses, utilities, target)
        for target in (2.0, 9.0, 1.9, 2.9, 1.0, 0.5)
    ]
    assert found[:-1] == [0.2, 0.3, 0.1, 0.2, 0.1]
    assert np.isnan(found[-1])


def test_which_bounds_a_delta_curve_shows():
    """Pairs up to the last eps, of delta below 1; the least repaired delta from its eps on."""
    printed = [theory.Bound(0.5, 0.25), theory.Bound(1.0, 0.125), theory.Bound(1.5, 0.1),
               theory.Bound(0.25, 1.0), theory.Bound(0.75, 3.0)]  # fmt: skip
    true = [theory.Bound(0.5, 0.5), theory.Bound(1.0, 0.75)]
    table = delta_curves._table({0.0: 0.9, 0.5: 0.3, 1.0: 0.1}, printed, true, case="c")
    told = {name: part[["epsilon", "delta"]].to_numpy().tolist()
            for name, part in table.groupby("quantity")}  # fmt: skip
    assert told["exact"] == [[0.0, 0.9], [0.5, 0.3], [1.0, 0.1]]
    assert told["theorem"] == [[0.5, 0.25], [1.0, 0.125]]
    assert told["repaired"] == [[0.5, 0.5], [1.0, 0.5]]
    assert set(table["case"]) == {"c"}


def test_where_theorems_speak_in_the_study_of_losses(monkeypatch):
    """min N > 1, lambda_min > 1, and > 4 for preferences: not at the limit itself."""
    point = loss_vs.Point(n=4, actions=2, dimension=1, coverage=1.0, eta=1.0, beta0=1.0,
                          penalty=1.0, B=1.0)  # fmt: skip
    data = BanditData(np.array([1, 3]), np.ones(2), np.ones(2), np.ones(2))
    monkeypatch.setattr(loss_vs, "draw_bandit", lambda *a: data)
    assert "theorem" not in loss_vs.evaluate_bandit(point, None)
    generator = np.random.default_rng(0)
    monkeypatch.setattr(loss_vs, "linear_additions", lambda *a: {None: 0.0})
    monkeypatch.setattr(loss_vs, "preference_additions", lambda *a: {None: 0.0})
    for size, known in ((0.0, False), (0.5, True)):
        drawn = np.full((4, 1), size), np.ones(4)
        monkeypatch.setattr(loss_vs, "draw_linear", lambda *a, drawn=drawn: drawn)
        with np.errstate(all="raise"):
            assert ("theorem" in loss_vs.evaluate_linear(point, generator)) == known
    for size, known in ((1.0, False), (2.0, True)):  # lambda_min = 1 + 3 size^2
        duels = Preferences(np.array([[size], [-size], [size]]))
        monkeypatch.setattr(loss_vs, "draw_preferences", lambda *a, duels=duels: duels)
        assert ("theorem" in loss_vs.evaluate_rlhf(point, generator)) == known


def test_a_removal_may_leave_a_direction_without_records():
    """e1 and e2: all is spanned, also without half a record of e2; without it only e1's axis."""
    both, weights, out = np.eye(2), np.ones(2), np.array([[[0.0, 1.0]]])
    assert _spanned(both, weights, np.zeros((1, 0, 2)), np.zeros((1, 0))) is None
    assert _spanned(both, weights, out, np.array([[-0.5]])) is None
    assert _spanned(both, weights, out, np.array([[1.0]])) is None
    left = _spanned(both, weights, out, np.array([[-1.0]]))
    assert left == pytest.approx(np.diag([1.0, 0.0])[None])
    taken = np.concatenate([out, np.array([[[1.0, 0.0]]])])
    some = _spanned(both, weights, taken, np.array([[-1.0], [0.0]]))
    assert some == pytest.approx(np.array([np.diag([1.0, 0.0]), np.eye(2)]))
