"""Equality and ties in boxes, swaps and theorems of KL at a user's data."""

from math import inf, sqrt

import numpy as np
import pytest
from lines import line

from dpbandits.core.mechanisms import PrivacyLoss
from dpbandits.offline import repaired
from dpbandits.offline.engine.certificates import delta_of_pure, pairwise
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear import boxes, swaps
from dpbandits.offline.linear.certificate import AdditionCertificate
from dpbandits.offline.mechanisms import (
    audits,
    bounds,
    inputs,
)
from dpbandits.offline.mechanisms.theorems import linear_bounds, preference_bounds
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.problem import Preferences


# --- boxes --------------------------------------------------------------------------------------
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


def test_the_change_of_scores_in_a_box_by_hand():
    """Records 1 and 1/2 of rewards 0 and 1, lambda = 1: P = 4/9, theta = 2/9; actions 1, -1/2 and
    1/4. The box: x = 0.6 +- 0.2, r = 0.3 +- 0.1."""
    actions, p, theta, eta, beta0 = (1.0, -0.5, 0.25), 4 / 9, 2 / 9, 0.25, 3.0
    audit = line([[1.0], [0.5]], [[a] for a in actions], eta=eta, beta0=beta0)
    x, r, x_half, r_half = 0.6, 0.3, 0.2, 0.1
    v, most = x * x * p, (x + x_half) ** 2 * p  # x'Px, the largest
    least, residual = (x - x_half) ** 2 * p, abs(r - x * theta)
    grown = residual * (most - v) / ((1 + v) * (1 + least))
    step, step_half = residual / (1 + v), (r_half + x_half * theta) / (1 + least) + grown
    changes = []
    for a in actions:
        apart = abs(a - sum(actions) / 3) * p  # a shift of all scores is none
        mean = step * apart * x_half + apart * (x + x_half) * step_half
        pull = a * a * p * p  # the width^2 shrinks by x^2 pull/(1 + v)
        gain = pull * ((x + x_half) ** 2 - x**2) / (1 + least)
        gain += pull * x**2 * (most - v) / ((1 + v) * (1 + least))
        width = gain / 2 / sqrt(a * a * p / (1 + p))
        changes.append((mean + beta0 * width) / eta)
    found = boxes._score_change(audit, np.array([[x, r]]), np.array([[x_half, r_half]]))
    assert found == pytest.approx([max(changes)], rel=1e-12)
    flat = boxes._score_change(audit, np.array([[0.1, r]]), np.array([[x_half, r_half]]))
    assert flat > 0  # the box holds x = 0: then 1 + x'Px is 1 at least


@pytest.mark.parametrize("first", [1, 2])
@pytest.mark.parametrize("forth", [0.5, 1.0])
def test_which_actions_get_a_bound_of_their_own(first, forth):
    """The worst by all pairs, then all that are still above the worst of those refined, here to
    0.8 of what they were, and one side to half of that."""
    asked = []

    class Told(AdditionCertificate):
        def _refine(self, bounds, rows):
            asked.append(rows.tolist())
            bounds.forth[rows] *= 0.8 * forth
            bounds.back[rows] *= 0.4 / forth

    actions = [[1.0], [-0.2], [0.9], [-0.5], [0.95], [0.3]]
    own = Told(line([[1.0], [0.5]], actions), first=first)
    cheap = pairwise(own.log_pi, own.change)
    worst = np.maximum(cheap.forth, cheap.back)
    refined = np.maximum(0.8 * forth * cheap.forth, 0.4 / forth * cheap.back)
    rows = [*np.argsort(-worst)[:first]]
    expected, todo = [], set(range(6))
    while rows:
        expected.append(rows)
        todo -= {*rows}
        rows = [i for i in todo if worst[i] > refined[sorted({*range(6)} - todo)].max()]
    assert asked == expected
    assert len(asked[0]) == first < sum(map(len, asked)) < 6
