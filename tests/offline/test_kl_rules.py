"""The rules by which KL's engines conclude, each at made-up numbers: what is exact, what a search
keeps, what a calibration takes."""

from functools import partial
from math import exp, inf, log

import numpy as np
import pytest

from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline.engine import attack
from dpbandits.offline.engine.search import into_ball, maximise, starts_in_ball
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear.boxes import branch_and_bound, change_within
from dpbandits.offline.mechanisms import calibration, feature_calibration
from dpbandits.offline.mechanisms.audits import concluded, sharpen
from dpbandits.offline.mechanisms.theorems import Bounds
from dpbandits.offline.studies.attacks import ATTACKS, _targets
from dpbandits.offline.theory import Bound

EVEN = np.log([0.5, 0.5])


def seen(pure=1.0, delta=0.2, at=0.1):
    worst = Worst((at,))
    worst.pure, worst.delta, worst.neighbour = pure, {at: delta}, {"row": 7}
    worst.neighbour_at = {at: {"row": 8}}
    return worst


# --- what an audit concludes --------------------------------------------------------------------
NOTHING = Bounds(inf, name="none")
CONCLUSIONS = [  # bounds; theorem; the loss, delta(0.1), how
    ([], NOTHING, 1.0, 0.2, "exact"),
    ([{None: 0.9, 0.1: 0.2}], NOTHING, 1.0, 0.2, "exact"),
    ([{None: 0.9, 0.1: 0.3}], NOTHING, 1.0, 0.3, "certified"),
    ([{None: 1.5, 0.1: 0.1}], NOTHING, 1.5, 0.2, "certified"),
    ([{None: 1.5, 0.1: 0.1}, {None: 1.2, 0.1: 3.0}], NOTHING, 1.5, 1.0, "certified"),
    ([{None: 1.5, 0.1: 0.9}], Bounds(1.3, name="T"), 1.3, None, "bound"),
    ([{None: 1.5, 0.1: 0.9}], Bounds(0.7, name="T"), 1.0, None, "bound"),
    ([{None: 1.5, 0.1: 0.3}], Bounds(2.0, (Bound(0.1, 0.25),), "T"), 1.5, 0.25, "bound"),
    ([{None: 1.5, 0.1: 0.3}], Bounds(2.0, (Bound(0.1, 0.05),), "T"), 1.5, 0.2, "bound"),
    ([{None: 1.5, 0.1: 0.3}], Bounds(2.0, (Bound(0.11, 0.05),), "T"), 1.5, 0.3, "certified"),
    ([{None: 1.5, 0.1: 0.25}], Bounds(1.5, (Bound(0.1, 0.25),), "T"), 1.5, 0.25, "certified"),
    ([{None: inf, 0.1: 1.0}], NOTHING, 1.0, 0.2, "bound"),
]


@pytest.mark.parametrize("case", CONCLUSIONS)
def test_what_is_concluded(case):
    bounds, theorem, pure, delta, method = case
    if delta is None:  # what the pure bound allows: (e^pure - e^0.1)/(1 + e^pure)
        delta = max(0.2, (exp(theorem.pure) - exp(0.1)) / (1 + exp(theorem.pure)))
    found = concluded(seen(), bounds, EVEN, lambda: theorem)
    assert (found.pure_epsilon, found.method) == (pure, method)
    assert found.delta_at == {0.1: pytest.approx(delta)}
    told = found.worst_neighbour
    assert told["row"] == 7
    assert told["at_epsilon"] == {"0.1": {"row": 8}}
    assert ("gap" in told) == (method != "exact" and not np.isinf((bounds or [{None: 0}])[0][None]))
    if "gap" in told:
        assert told["attained"] == {"pure": 1.0, "0.1": 0.2}
        assert told["gap"]["pure"] == pytest.approx(pure - 1.0)
        assert told["gap"]["0.1"] == pytest.approx(delta - 0.2)
    assert ("theorem" in told) == (method == "bound" and "gap" in told)


def test_one_action_alone_needs_no_bound_and_no_loss_is_left_above_the_pure_one():
    lone = np.array([0.0, -np.inf])
    found = concluded(seen(0.0, 0.0), [{None: 3.0, 0.1: 0.5}], lone, lambda: NOTHING)
    assert (found.pure_epsilon, found.delta_at, found.method) == (0.0, {0.1: 0.0}, "exact")
    assert "at_epsilon" not in found.worst_neighbour
    found = concluded(seen(0.5, 0.0, 2.0), [{None: 2.0, 2.0: 0.3}], EVEN, lambda: NOTHING)
    assert found.delta_at == {2.0: 0.0}
    found = concluded(seen(0.5, 0.0, 2.0), [{None: 2.5, 2.0: 0.3}], EVEN, lambda: NOTHING)
    assert found.delta_at == {2.0: 0.3}


def test_only_bounds_that_are_not_close_are_sharpened():
    """1.001 times what is attained is close enough; a sharper one is taken only if it is less."""
    worst, added, asked = seen(1.0, 0.2), seen(0.7, 0.1), []

    def by_boxes(attained, epsilon):
        asked.append((attained, epsilon))
        return 0.25 if epsilon else 5.0

    bounds = {None: 1.5, 0.1: 0.4}
    sharpen(bounds, worst, added, by_boxes)
    assert asked == [(0.7, None), (0.1, 0.1)]
    assert bounds == {None: 1.5, 0.1: 0.25}
    sharpen({None: 1.0009, 0.1: 0.2001}, worst, added, None)
    sharpen({None: 1.001, 0.1: 0.2}, worst, added, None)


def test_what_theorems_promise():
    bounds = Bounds(2.0, (Bound(0.5, 0.4), Bound(1.0, 0.01)))
    assert bounds.delta(2.0) == 0.0
    # (e^2 - e^0.4)/(1 + e^2) at 0.4, where no pair speaks
    assert bounds.delta(0.4) == pytest.approx((exp(2) - exp(0.4)) / (1 + exp(2)))
    assert bounds.delta(0.5) == pytest.approx(0.4)
    assert bounds.delta(1.5) == 0.01
    assert NOTHING.delta(9.0) == 1.0


# --- the worst neighbours -----------------------------------------------------------------------
def test_the_worst_is_kept_with_its_neighbour():
    """Coins 1/2 against 1/4 and 1/8: ln 2 and ln 4; delta(ln 2) 0 and 1/4."""
    worst, two = Worst((log(2),)), np.log([[0.25, 0.75], [0.125, 0.875], [0.5, 0.5]])
    worst.see(EVEN, two, lambda i: {"row": i})
    assert (worst.pure, worst.neighbour) == (pytest.approx(log(4)), {"row": 1})
    assert worst.delta[log(2)] == pytest.approx(0.25)
    assert worst.neighbour_at[log(2)] == {"row": 1}
    worst.see(EVEN, two[:1], lambda i: {"row": 9})
    worst.see(EVEN, two[:0], lambda i: {"row": 9})
    assert worst.found() == [{"row": 1}, {"row": 1}]
    more = Worst((log(2),))
    more.see(EVEN, two[2:], lambda i: {"row": 5})
    assert more.found() == [{"row": 5}, {"row": 5}]  # nothing lost, yet a neighbour
    more.merge(worst)
    assert more.found() == [{"row": 1}, {"row": 1}]
    assert (more.pure, more.delta) == (worst.pure, worst.delta)
    more.merge(seen(0.1, 0.1, log(2)))
    assert more.found() == [{"row": 1}, {"row": 1}]


def test_records_found_are_put_in_other_rows_until_none_is_worse():
    worst, put, searched = seen(), [], []
    worst.neighbour_at = {0.1: {"row": 7}}

    def put_in(found):
        put.append(found["row"])
        if found["row"] < 9:
            worst.neighbour = max(
                worst.neighbour, {"row": found["row"] + 1}, key=lambda n: n["row"]
            )

    worst.in_other_rows(put_in, searched.append)
    assert searched == [8, 9]
    assert put == [7, 7, 8, 7, 9, 7]


# --- searches and boxes -------------------------------------------------------------------------
def test_a_search_finds_the_top_in_the_ball_and_tells_its_value():
    """-(|x - (3, 0)|^2) over |x| <= 2, times a share in [0, 1]: the top is at (2, 0), share 1."""

    def objective(points):
        assert (np.linalg.norm(points[:, :2], axis=1) <= 2 + 1e-12).all()
        assert ((points[:, 2] >= 0) & (points[:, 2] <= 1)).all()
        return 10 * points[:, 2] - ((points[:, :2] - [3, 0]) ** 2).sum(axis=1)

    starts = np.array([[0.0, 5.0, 2.0], [0.1, 0.1, 0.5]])
    point, value = maximise(objective, starts, (2, 2.0), "a label")
    assert point == pytest.approx([2, 0, 1], abs=1e-3)
    assert value == objective(point[None])[0]
    assert value > 9 - 1e-5
    other = maximise(objective, starts, (2, 2.0), "another label", rounds=3)[0]
    assert (other != maximise(objective, starts, (2, 2.0), "a label", rounds=3)[0]).any()
    line, top = maximise(lambda p: -np.abs(p[:, 0] - 0.25), np.zeros((1, 1)), 1.0, "a label")
    assert line == pytest.approx([0.25], abs=1e-6)
    assert top == pytest.approx(0.0, abs=1e-6)


def test_starts_and_balls():
    found = starts_in_ball(2, 3.0, np.array([[2.0, 0.0], [0, 0]]), 4, np.random.default_rng(0))
    assert found[:2].tolist() == [[3, 0], [-3, 0]]
    lengths = np.linalg.norm(found, axis=1)
    assert len(found) == 6
    assert lengths[[2, 4]] == pytest.approx([3, 3])
    assert (lengths[[3, 5]] < 3).all()
    assert into_ball(np.array([[3.0, 4.0], [0.3, 0.4], [0, 0]]), 1.0).tolist() == [
        [0.6000000000000001, 0.8], [0.3, 0.4], [0, 0],
    ]  # fmt: skip


def test_branch_and_bound_does_not_lean_on_what_was_attained():
    """x + y over |x|, |y| <= 1, an interval bound of each box: 2, from whatever is given."""

    def upper(centres, halves):
        return centres.sum(axis=1) + halves.sum(axis=1)

    box = np.zeros((1, 2)), np.ones((1, 2))
    for attained in (2.0, 1.9, 0.5):
        found = branch_and_bound(*box, upper, attained, 1e-3, 1, 5000)
        assert 2.0 <= found <= 2.0 + 1.1e-3
    assert branch_and_bound(*box, upper, 3.0, 1e-3, 1) == pytest.approx(3.001)
    # with few boxes the bound reached so far: two halvings of the longest side, none of the four
    # that touch the corner is below
    assert branch_and_bound(*box, upper, 1.0, 1e-3, 1, 1) == pytest.approx(2.0)
    seen = []
    flat = np.zeros((1, 2)), np.array([[1.0, 4.0]])
    branch_and_bound(*flat, lambda c, h: (seen.append((c, h)), c[:, 1] - 3)[1] + h[:, 1], 0.9, 0, 1)
    assert seen[1][0].tolist() == [[-0.5, 0], [0.5, 0]] or seen[1][0].tolist() == [[0, -2], [0, 2]]


@pytest.mark.parametrize("epsilon", [None, 0.0, 0.3])
def test_changes_within_a_box_by_its_corners(epsilon):
    """Log-probabilities that move by kappa/2 each way at most: the bound is above, and near."""
    generator = np.random.default_rng(3)
    own, centre = (log_normalise(generator.standard_normal(3)) for _ in range(2))
    for kappa in (1e-3, 0.1, 1.0):
        corners = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T * kappa
        policies = log_normalise(centre + corners)
        bound = float(change_within(own, centre[None], np.array([2 * kappa]), epsilon)[0])
        loss = pure_epsilon if epsilon is None else partial(delta_at, epsilon=epsilon)
        most, at = loss(own, policies).max(), float(loss(own, centre))
        assert most <= bound
        assert bound - at <= (1.001 if epsilon is None else 1.3) * 2 * kappa


# --- attacks ------------------------------------------------------------------------------------
def test_an_attack_tells_the_best_instance_and_counts_all():
    """true/bound = 2 - |x - (1, ..)|^2 where that is positive: the search comes near to 2."""
    told = []

    def ratio(rows):
        values = 2 - ((rows - 1) ** 2).sum(axis=1)
        told.append(values)
        return values

    target = attack.Attack("toy", 2, ratio, None, cost=2)
    found = attack.attack(target, 40_000, 0.5, np.random.default_rng(0))
    values = np.concatenate(told)
    assert found.instances == len(values) == 10_000 + 2000 * 5
    assert found.crossed == (values > 1.5).sum()
    assert found.ratio == values.max() > 1.999
    assert ratio(found.row[None])[0] == found.ratio


def test_ratios_of_deltas_that_promise_something():
    bound = np.array([0.5, 0.1, 0.05, 1e-6, 9e-7])
    exact = bound / 2
    assert attack.ratio_of_deltas(exact, bound, 1.0).tolist() == [0.5, 0.5, 0.5, 0.5, 0]
    assert attack.ratio_of_deltas(exact, bound, attack.SMALL).tolist() == [0, 0.5, 0.5, 0.5, 0]
    large, small = attack.both_sizes("T", 3, lambda x, most_delta=1.0: most_delta, None, 7)
    assert (large.bound, small.bound) == ("T", "T (small delta)")
    assert (large.ratio(0), small.ratio(0), large.cost, small.cost) == (1.0, 0.1, 7, 7)


def test_decoded_variables_by_hand():
    ends = np.array([-9.0, 0.0, 9.0])
    assert attack.share(ends).tolist() == [0, 0.5, 1]
    assert attack.scale(ends, 1e-2, 1e4) == pytest.approx([1e-2, 10, 1e4])
    assert attack.whole(ends, 1, 100).tolist() == [1, 10, 100]
    balls = attack.in_ball(np.array([[3.0, 4.0], [0.3, 0.4]]))
    assert balls == pytest.approx(np.array([[0.6, 0.8], [0.3, 0.4]]))
    form = np.array([[[2.0, 1.0], [1.0, 3.0]]])
    assert attack.widths(np.array([[[1.0, 2.0]]]), form) == pytest.approx(np.array([[18**0.5]]))


def test_each_theorem_has_its_attacks_and_their_places():
    names = {key: [a.bound for _, a in _targets(key)] for key in ("others", "T3", "T4")}
    assert set(names["others"]) >= {"T1 pure", "T2 approx", "T draws", "inexact"}
    assert all(name.startswith("T3") for name in names["T3"])
    assert sum(map(len, names.values())) == len(ATTACKS)
    assert all(ATTACKS[i] is a for key in names for i, a in _targets(key))


# --- calibration --------------------------------------------------------------------------------
@pytest.mark.parametrize("least", [1e-7, 0.3, 1.0, 77.0])
def test_the_smallest_of_what_meets_a_target(least):
    found = calibration.smallest(lambda eta: eta >= least, 2.0)
    assert least <= found <= least * (1 + 1.1e-10)
    found = feature_calibration.least_eta(lambda eta: eta >= least)
    assert least <= found <= least * 1.0011


def test_nothing_or_everything_may_meet_a_target():
    assert calibration.smallest(lambda eta: False, 1.0) is None
    assert calibration.smallest(lambda eta: True, 2.0) < 2e-9
    assert calibration.smallest(lambda eta: eta <= 3e8, 1.0) is None  # 10^9 is tried first
    assert feature_calibration.least_eta(lambda eta: False) is None
    assert feature_calibration.least_eta(lambda eta: True) < 1e-9


def test_the_highest_j_of_those_that_meet_the_target():
    """Means 1 and 0. By reward alone the policy that plays the first arm most, at its least eta."""
    means = np.array([1.0, 0.0])
    laws = {0.0: np.log([0.7, 0.3]), 1.0: np.log([0.8, 0.2])}
    least = {0.0: 0.5, 1.0: 0.25}
    assert calibration.highest(least, laws, means, None, 0.0, None) == (0.25, 1.0)
    # J = E - w KL: best at ln(p/(1 - p)) = 1/w = ln 3/2, that is eta = ln(7/3)/(1/w) of the least
    best = calibration.highest({0.0: 0.5}, laws, means, EVEN, 1 / log(1.5), lambda b, e: True)
    assert best[0] == pytest.approx(0.5 * log(7 / 3) / log(1.5), rel=0.03)
    refused = calibration.highest({0.0: 0.5}, laws, means, EVEN, 1 / log(1.5), lambda b, e: False)
    assert refused == (0.5, 0.0)
    only = calibration.highest(
        {0.0: 0.5}, {0.0: np.log([1.0, 1e-300])}, means, np.array([0, -inf]), 0.3, lambda b, e: True
    )
    assert only == (0.5, 0.0)


def test_the_eps_of_a_delta():
    class Loss:
        def __init__(self, at):
            self.at = at

        def __call__(self, epsilons):
            return type("Found", (), {"delta": {e: max(0.0, 1 - e / self.at) for e in epsilons}})

    assert calibration._epsilon_at(Loss(10.0), 0.5) == pytest.approx(5.0, rel=1e-9)
    assert calibration._epsilon_at(Loss(0.1), 0.5) == pytest.approx(0.05, rel=1e-9)
    assert calibration._epsilon_at(Loss(0.1), 1.0) == 0.0
