"""Equality and ties in KL's engines: what is exactly at a limit, which of two equals is told."""

from functools import partial
from math import inf, log

import numpy as np
import pandas as pd
import pytest
from flint import arb

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import PrivacyLoss
from dpbandits.offline import repaired, rivals, theory
from dpbandits.offline.bandit import attack as bandit_attack
from dpbandits.offline.bandit.loss import exact_loss
from dpbandits.offline.engine import attack, families, quadratic_ratio, sampling, verdicts
from dpbandits.offline.engine.certificates import Ratios, delta_of_pure, delta_of_spread, pairwise
from dpbandits.offline.engine.crossing import Crossing, Step
from dpbandits.offline.engine.families_rlhf import PreferenceFamily
from dpbandits.offline.engine.search import maximise
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear import boxes, swaps
from dpbandits.offline.linear.attack import LinearAttack
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.linear.perturbation import PerturbedRidge
from dpbandits.offline.mechanisms import (
    audits,
    bounds,
    calibration,
    feature_calibration,
    inputs,
    records,
)
from dpbandits.offline.mechanisms.theorems import linear_bounds, preference_bounds
from dpbandits.offline.preference import boxes as preference_boxes
from dpbandits.offline.preference import loss as preference_loss
from dpbandits.offline.preference.attack import PreferenceAttack
from dpbandits.offline.preference.certificate import PreferenceCertificate
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.mle import _spanned, fit_many
from dpbandits.offline.preference.perturbation import ObjectivePerturbation
from dpbandits.offline.problem import BanditData, Preferences, objective
from dpbandits.offline.studies import delta_curves, loss_vs, tightness, utility_vs_privacy

EVEN = np.log([0.5, 0.5])


# --- counterexamples and verdicts ---------------------------------------------------------------
def test_what_holds_with_equality_is_no_counterexample():
    assert not Step("", arb(1), arb(1)).fails
    assert not Crossing(arb(1), arb(1), "").proved
    promised = Crossing(
        arb(1), arb(0), "", repaired=(theory.Bound(0.5, 0.25), theory.Bound(1, 0.1))
    )
    assert [promised.repaired_delta(e) for e in (0.5, 0.9, 1.0)] == [0.25, 0.25, 0.1]
    assert np.isnan(promised.repaired_delta(0.4))


def crossed(allowed=0.125, epsilon=None, repaired=(), quantity="delta"):
    pair = [arb(0.75), arb(0.25)], [arb(0.25), arb(0.75)]
    step = Step("the step", arb(1), arb(0))
    epsilon = None if epsilon is None else arb(epsilon)
    return Crossing(arb(0.5), arb(allowed), "w", epsilon, pair, (step,), quantity, tuple(repaired))


@pytest.mark.parametrize(
    ("crossing", "measured", "slack"),
    [
        (crossed(), "delta 0.5", "exceeded by a factor 4"),
        (crossed(0.0, 0.25), "delta 0.5 at eps=0.25", "exceeded where 0 is allowed"),
    ],
)
def test_what_a_refutation_says(crossing, measured, slack):
    told = verdicts.refuted(crossing, "repaired", tightness="t", evidence=("more",))
    assert (told.measured, told.slack, told.proof_step) == (measured, slack, "the step")
    assert (told.verdict, told.method) == ("violated", "certified")
    assert (told.repaired, told.repaired_method) == ("repaired", "proof")
    assert told.evidence[-1] == "more"


def test_where_the_points_of_a_counterexample_stand():
    """delta allowed 1/8 from eps = 1/4 on: grid 0, 1/32, .., 1/4 and on to 1/2; a repaired bound
    beyond (3/2 > 3 x 1/2 is not) stretches it to 1.1 of its eps, and stands on the grid itself."""

    def grid(**keys):
        (found,) = verdicts.crossing_points(crossed(**keys))
        return found, [float(x) for x in found.x]

    plain, places = grid(epsilon=0.25)
    assert places == pytest.approx(sorted({i / 32 for i in range(17)}))
    assert np.isnan(plain.at_most[:8]).all()
    assert set(plain.at_most[8:]) == {0.125}
    far = theory.Bound(1.5, 0.1)
    assert grid(epsilon=0.25, repaired=(far,))[1] == places
    near = theory.Bound(1.0, 0.25)
    stretched = grid(epsilon=0.25, repaired=(near,))[1]
    assert (max(stretched), 1.0 in stretched) == (pytest.approx(1.1), True)
    for count, own in ((8, True), (9, False)):
        many = [theory.Bound(0.3 + i / 50, 0.45) for i in range(count)]
        assert (many[1].epsilon in grid(epsilon=0.25, repaired=many)[1]) == own
    at_zero = grid(epsilon=0.0)[1]
    assert at_zero == pytest.approx([i / 8 for i in range(9)])  # up to 1, twice 0 being 0
    pure, places = grid()  # the allowed pure loss 1/8, the measured one 1/2
    assert max(places) == pytest.approx(0.55)
    assert set(pure.at_most[8:]) == {0.0}
    assert float(pure.measured[0]) == pytest.approx(0.5)


def test_a_repaired_bound_that_only_just_reaches_the_grid():
    """3 x the end of the grid is 1.5 at eps = 1/4: a bound there is not near."""
    (found,) = verdicts.crossing_points(crossed(epsilon=0.25, repaired=(theory.Bound(1.5, 0.1),)))
    assert float(max(found.x)) == pytest.approx(0.5)


def test_the_first_point_is_at_the_very_eps_that_is_promised():
    """delta = 3/4 - e^eps/4 just below ln 3, where a fraction near eps would not do."""
    epsilon = log(3) - 1e-13
    true = (theory.Bound(0.0, 1.0),)
    (found,) = verdicts.crossing_points(crossed(0.0, epsilon, true))
    exact = 0.75 - arb(epsilon).exp() / 4
    assert 0 < exact < 1e-13
    assert float(found.measured[8]) == pytest.approx(float(exact), rel=1e-2, abs=0)


def test_tables_that_are_empty_prove_nothing():
    rows = pd.DataFrame({
        "claim": ["A"], "worst": [0.5], "data_sets": [3], "crossed": [1],
        "bound": ["b"], "ratio": [0.5], "dimension": [0], "instances": [9],
    })  # fmt: skip
    for asked in ("A", "B"):  # crossed, and not there at all
        with pytest.raises(Exception, match="contradicts the proof"):
            verdicts.proved(lambda name: rows, asked, "S", "bound")
    for asked in ("b", "c"):
        with pytest.raises(Exception, match="the attack crosses it"):
            verdicts.attacked(lambda name: rows, asked)


def test_what_an_attack_came_to():
    rows = pd.DataFrame({
        "bound": ["b", "b", "b (small delta)", "other"], "ratio": [0.5, 0.75, 0.25, 2.0],
        "dimension": [1, 2, 0, 1], "instances": [1000, 500, 200, 9], "crossed": [0, 0, 0, 1],
    })  # fmt: skip
    assert verdicts.attacked(lambda name: rows, "b") == (
        "true/bound 0.7500 (d = 2); true/bound 0.2500 where $10^{-6} \\le \\delta \\le 0.1$; no "
        "crossing in 1,700 adversarial instances: figures/kl/attacks.csv, rows `b`, has the nearest"
    )


# --- the worst neighbours, searches, attacks ----------------------------------------------------
def test_of_two_equal_neighbours_the_first_is_told():
    worst, again, law = Worst((0.1,)), Worst((0.1,)), np.log([[0.25, 0.75]])
    for name in ("first", "second"):
        worst.see(EVEN, law, lambda i, name=name: {"row": name})
    again.see(EVEN, law, lambda i: {"row": "third"})
    worst.merge(again)
    assert worst.found() == [{"row": "first"}] * 2


def test_rows_are_searched_anew_four_times_at_most():
    worst, searched = Worst(), []
    worst.neighbour = {"row": 0}

    def put(found):
        worst.neighbour = {"row": found["row"] + 1}

    worst.in_other_rows(put, searched.append)
    assert searched == [1, 2, 3, 4]


def test_quadratic_ratios_are_asked_for_fourteen_times(monkeypatch):
    """(y^2 + y)/(1 + y^2) where 4 y^2 <= 1: at y = 1/2, 3/5."""
    asked, top = [], quadratic_ratio._top
    monkeypatch.setattr(quadratic_ratio, "_top", lambda *a: asked.append(a[3].copy()) or top(*a))
    found, at = quadratic_ratio.ratio_maximum(np.ones((1, 1, 1)), np.ones((1, 1)), np.array([4.0]))
    assert len(asked) == 14
    assert (found[0], at[0, 0]) == (pytest.approx(0.6, rel=1e-4), pytest.approx(0.5, rel=1e-2))
    assert found[0] >= 0.6


def test_a_flat_search_stays_where_it_began():
    start = np.array([[0.25, 0.5]])
    point, value = maximise(lambda p: np.zeros(len(p)), start, 1.0, "flat", rounds=3)
    assert (point.tolist(), value) == ([0.25, 0.5], 0.0)


def test_ratios_at_the_tolerance_do_not_cross():
    target = attack.Attack("flat", 2, lambda x: np.full(len(x), 1.5), None)
    assert attack.attack(target, 4000, 0.5, np.random.default_rng(0)).crossed == 0
    row = tightness._row("c", "f", [{"x": 1}], np.array([1 + tightness.ROUNDING]))
    assert (row["crossed"], row["data_set"]) == (0, "")


def test_an_instance_at_its_middle_is_an_addition():
    assert not bandit_attack._decode(np.zeros((1, 13)))["removal"].any()
    for group in (LinearAttack(1), PreferenceAttack(1, False)):
        assert not group.decode(np.zeros((1, group.size)))["removal"].any()


def test_ratios_of_nothing():
    assert [sampling.ratio(0.0, 0.0), sampling.ratio(1.0, 0.0), sampling.ratio(1.0, 2.0)] == [
        0.0, inf, 0.5,
    ]  # fmt: skip


# --- families -----------------------------------------------------------------------------------
def test_rewards_of_arms_that_always_or_never_won():
    data = families.BanditFamily().records(np.array([3, 3, 3]), np.array([3, 0, 1]))
    assert (data.lowest.tolist(), data.highest.tolist()) == ([1, 0, 0], [1, 0, 1])
    one = families.BanditFamily()._one(np.array([1, 5]), np.array([1, 2]), 0.5, 1.0, 2.0)
    assert one["KL-T1-pure"] == 0.0  # Theorem 1 speaks of two records of each arm and more


def test_a_swap_is_set_against_its_two_steps(monkeypatch):
    """By enumeration: the worst removal, or the worst addition to what some removal leaves."""
    counts, wins, eta, beta0 = np.array([2, 3]), np.array([0, 2]), 0.5, 1.0
    family, seen = families.SwapFamily(), []

    def noted(data, *rest, **more):
        seen.append(data)
        return exact_loss(data, *rest, **more)

    monkeypatch.setattr(families, "exact_loss", noted)
    found = family._one(counts, wins, eta, beta0, 1.0)["KL-P1a"]
    assert all((data.sums >= 0).all() and (data.sums <= data.counts).all() for data in seen)
    loss = partial(exact_loss, eta=eta, beta0=beta0)
    left = [([1, 3], [0, 2]), ([2, 2], [0, 2]), ([2, 2], [0, 1])]
    steps = [loss(family.records(counts, wins), kinds=("remove",)).pure]
    steps += [loss(family.records(*map(np.array, x)), kinds=("add",)).pure for x in left]
    swap = loss(family.records(counts, wins), kinds=("swap",)).pure
    assert found == pytest.approx(swap / (2 * max(steps)), rel=1e-12)


def test_records_that_are_not_there_are_not_taken():
    family = PreferenceFamily()
    column = {
        "counts": np.array([[0, 5, 9, 2, 7, 1, 3, 4.0]]), "actions": np.eye(3, 2)[None],
        "eta": np.ones(1), "beta0": np.ones(1), "B": np.ones(1), "lambda0": np.ones(1),
    }  # fmt: skip
    base, _, _ = family._policies(column["counts"], column)
    label, record = family._neighbours(base, column)
    assert (label.shape, record.shape) == ((1, 8, 3), (1, 16, 3))
    for found in (label[0, 0], record[0, 0]):  # the first kind: no flip, no removal
        assert found == pytest.approx(base[0], abs=1e-12)
    assert (np.abs(label[0, 1:] - base[0]).max(axis=1) > 1e-6).all()
    assert (np.abs(record[0, 1:] - base[0]).max(axis=1) > 1e-6).all()


# --- boxes --------------------------------------------------------------------------------------
def line(x, actions=((1.0,), (-1.0,)), penalty=1.0, **more):
    x = np.array(x, float)
    own = {"eta": 0.5, "beta0": 1.0, "penalty": penalty} | more
    return LinearAudit(x, np.linspace(0, 1, len(x)), np.array(actions), **own)


def test_boxes_that_touch_the_ball_are_kept(monkeypatch):
    asked = {}

    def capture(centre, half, upper, *rest):
        asked["upper"] = upper
        return 0.0

    monkeypatch.setattr(boxes, "branch_and_bound", capture)
    boxes.certified_additions(line([[1.0], [0.5]]), 0.1)
    for centre, kept in ((1.5, True), (1.51, False)):
        bound = asked["upper"](np.array([[centre, 0.5]]), np.array([[0.5, 0.5]]))
        assert np.isfinite(bound[0]) == kept


@pytest.mark.parametrize(("cells", "boxes_seen"), [(0, 1), (1, 3), (2, 3), (3, 7)])
def test_how_many_boxes_are_looked_at(cells, boxes_seen):
    seen = []

    def upper(centres, halves):
        seen.extend(centres)
        return np.full(len(centres), 5.0)

    box = np.zeros((1, 1)), np.ones((1, 1))
    assert boxes.branch_and_bound(*box, upper, 3.0, 0.5, 1, cells) == pytest.approx(5)
    assert len(seen) == boxes_seen
    none = boxes.branch_and_bound(*box, lambda c, h: np.full(len(c), -inf), 3.0, 0.5, 1, 0)
    assert none == pytest.approx(3.5)


@pytest.mark.parametrize("cost", [1, 400_000, 2_000_000])
def test_boxes_are_bounded_in_parts(cost):
    """1 and three halves of a box: 32 of them are left before 1.15; a million cells at once."""
    sizes = []

    def upper(centres, halves):
        sizes.append(len(centres))
        return 1.0 + 3 * halves[:, 0]

    box = np.zeros((1, 1)), np.ones((1, 1))
    assert boxes.branch_and_bound(*box, upper, 0.9, 1 / 4, cost) == pytest.approx(1.15)
    assert max(sizes) == min(max(1, 10**6 // cost), 32)


def test_a_null_action_in_the_boxes():
    """phi = 0 has no width: its part of the bound is 0, not 0/0."""
    audit, worst = line([[1.0], [0.5], [-0.25]], actions=((1.0,), (0.0,))), Worst()
    audit.additions(worst)
    found = boxes.certified_additions(audit, 0.8 * worst.pure)
    assert worst.pure <= found <= 1.01 * worst.pure


@pytest.mark.parametrize(("dimension", "sharpened"), [(3, True), (4, False)])
def test_up_to_three_dimensions_have_boxes(dimension, sharpened, monkeypatch):
    asked = []
    monkeypatch.setattr(audits, "sharpen", lambda *a: asked.append(a))
    audit = line(np.eye(5, dimension), actions=np.eye(2, dimension))
    monkeypatch.setattr(audit, "additions", lambda *a: None)
    audits.linear_additions(audit, Worst())
    data = Preferences(np.concatenate([np.eye(dimension), -np.eye(dimension)]))
    own = {"eta": 1.0, "beta0": 1.0, "penalty": 1.0, "radius": 1.0}
    duel = PreferenceAudit(data, np.eye(2, dimension), **own)
    monkeypatch.setattr(duel, "additions", lambda *a: None)
    audits.preference_additions(duel, Worst())
    assert len(asked) == 2 * sharpened


def test_how_many_swaps_are_refined_and_searched(monkeypatch):
    """Rows in the order of their carried bounds, until none can be worse."""
    audit, refined, searched = line([[0.9], [0.5], [-0.25], [0.1], [0.7]]), [], []
    bounds = np.array([[3.0], [9.0], [5.0], [7.0], [0.1]])

    class Certificate:
        def __init__(self, rest, **options):
            refined.append(len(rest.features))
            self.ratios = type("Ratios", (), {"pure": 4.0 + len(refined)})
            self.points, self.delta = len(refined), None

    carried = type("Carried", (), {"bounds": lambda self, epsilons: bounds})
    monkeypatch.setattr(swaps, "_Carried", lambda audit: carried())
    monkeypatch.setattr(swaps, "AdditionCertificate", Certificate)
    monkeypatch.setattr(swaps, "_search", lambda *a: searched.append((a[2], a[4])))
    monkeypatch.setattr(Worst, "in_other_rows", lambda *a: None)
    for rows, most, count, found, bound in (
        (1, 9, 1, [(1, 1)], 7.0), (2, 1, 2, [(3, 2)], 6.0), (9, 2, 2, [(3, 2), (1, 1)], 6.0),
    ):  # fmt: skip
        refined.clear()
        searched.clear()
        monkeypatch.setattr(swaps, "ROWS", rows)
        monkeypatch.setattr(swaps, "SEARCHED", most)
        told = swaps.swaps(audit, Worst())
        assert (refined, searched) == ([4] * count, found)
        assert told[None] == pytest.approx(bound, abs=1e-9)


# --- theorems -----------------------------------------------------------------------------------
def test_theorem_2_begins_above_one_and_its_swaps_above_two():
    """No features: Sigma = 1. One record of x = 1: Sigma = 2."""
    with np.errstate(all="raise"):
        assert linear_bounds(line([[0.0]] * 3), {"add"}).pure == inf
        assert linear_bounds(line([[1.0]]), {"swap"}).pure == inf
        assert np.isfinite(linear_bounds(line([[1.0]]), {"add"}).pure)
        assert np.isfinite(linear_bounds(line([[1.0], [0.1]]), {"swap"}).pure)
    for actions in (((1.0,), (-1.0,)), ((1.0,), (-1.0,), (0.5,))):  # a set is never all of them
        assert len(linear_bounds(line([[1.0]] * 3, actions), {"add"}).pairs) == len(actions) - 1
        own = {"eta": 1.0, "beta0": 1.0, "penalty": 1.0, "radius": 1.0}
        duel = PreferenceAudit(Preferences(np.array([[1.0], [-1.0]])), np.array(actions), **own)
        assert len(preference_bounds(duel, {"flip"}).pairs) == len(actions) - 1


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        return {name: str(tmp_path / name) for name in texts}

    return write


def test_bounds_of_lone_records_and_at_the_step_itself(files):
    path = files(lone="arm,reward\n0,1\n1,0\n", more="arm,reward\n0,1\n0,0\n" + "1,0\n" * 9)
    with np.errstate(all="raise"):
        lone = bounds.bound_bandit(inputs.BanditAudit(data=path["lone"], eta=1.0, beta0=1.0), [1.0])
    assert (lone.pure_epsilon["printed"], lone.pure_epsilon["repaired"]) == (inf, inf)
    step = float(repaired.bandit_step(9, 1.0, 9.0))
    params = inputs.BanditAudit(data=path["more"], eta=1.0, beta0=9.0)
    found = bounds.bound_bandit(params, [step]).delta_at[step]["repaired"]
    promised = float(repaired.theorem1_approx(9, 1.0, 9.0, step).delta)
    assert found == pytest.approx(promised)
    assert promised < 0.7 < float(delta_of_pure(repaired.bandit_step(2, 1.0, 9.0), step))


def test_the_printed_theorem_4_needs_a_floor_above_one(files, monkeypatch):
    """20 differences of 1/10, lambda = 1/10: lambda_min = 3/10; 20 of 2 and the same: 80.1."""
    monkeypatch.setattr(bounds, "audit_preferences", lambda *a: PrivacyLoss(0.0, {}, {}, "exact"))
    path = files(few="x1,label\n" + "0.1,1\n0.1,0\n" * 10, many="x1,label\n" + "2,1\n2,0\n" * 10,
                 actions="x1\n1\n-1\n")  # fmt: skip
    for name, known in (("few", False), ("many", True)):
        keys = {"data": path[name], "actions": path["actions"], "eta": 1.0, "beta0": 1.0, "B": 1.0}
        params = inputs.PreferenceParams(**keys, **{"lambda": 0.1})
        assert np.isfinite(bounds.bound_preferences(params).pure_epsilon["printed"]) == known


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
    assert found[0.1] <= 1.0
    assert asked == ["search"] * 2 + ["rows"] * certified


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


@pytest.mark.parametrize("angles", [(0, 0, 3), (0, np.pi, 4), (0, 4, 5), (0, 2, 1), (3, 4, 5)])
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
    losses, utilities = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    found = utility_vs_privacy._best_within(losses, utilities, (2.0, 0.5, 9.0))
    assert found[[0, 2]].tolist() == [0.2, 0.3]
    assert np.isnan(found[1])


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
