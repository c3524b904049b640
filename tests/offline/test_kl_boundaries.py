"""Where KL's certificates change their way: each side of it, and what a proof rests on is asked."""

from math import exp, expm1

import numpy as np
import pytest
from flint import arb

from dpbandits.core.divergences import pure_epsilon
from dpbandits.core.errors import ProofError
from dpbandits.offline.bandit.counterexamples import leader_step
from dpbandits.offline.engine import crossing
from dpbandits.offline.engine.certificates import curvature, delta_of_ratios, delta_of_spread
from dpbandits.offline.engine.quadratic_ratio import _top
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear.boxes import branch_and_bound
from dpbandits.offline.linear.certificate import AdditionCertificate, rounding
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.linear.swaps import _Carried
from dpbandits.offline.preference import counterexamples as preference
from dpbandits.offline.preference.certificate import PreferenceCertificate
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.problem import Preferences

EPSILONS = (0.0, 0.5)


def test_exponents_up_to_300_are_taken_and_beyond_nothing_is_claimed():
    rare = np.array([-400.0, 0.0])
    for gain, delta in ((300.0, exp(-100)), (300.5, 1.0)):
        found = delta_of_ratios(rare, np.zeros(2), np.array([gain, 0.0]), 0.0)
        assert found == pytest.approx(delta, rel=1e-9, abs=0)
    assert np.isfinite(curvature(np.array(300.0)))
    assert curvature(np.array(300.1)) == np.inf
    small = 1e-150  # of the standard deviation
    assert delta_of_spread(small, 0.0, 300.9, 1.0) < 1e-100
    assert delta_of_spread(small, 0.0, 301.0, 1.0) == 1.0
    assert delta_of_spread(0.1, 0.2, 0.7, 0.7) == 0.0
    assert delta_of_spread(0.1, 0.2, 0.700001, 0.7) > 0.0


def test_the_curvature_is_exact_where_the_series_ends():
    """h = 1/2 + m/6 + m^2/24 + ..; the series below 0.001 has m^2/12, which is above it."""
    m = 1e-3
    assert curvature(np.array(m)) == pytest.approx((expm1(m) - m) / m**2, rel=5e-9)
    m = 0.999e-3
    assert curvature(np.array(m)) == pytest.approx(0.5 + m / 6 + m**2 / 12, rel=1e-12)


def test_a_width_at_the_threshold_is_covered():
    """Widths 2, 3/2 and 1 at the threshold 3/2: only the first is poorly covered."""
    widths, means = [arb(2), arb(1.5), arb(1)], [arb(1)] * 3
    first = leader_step(means, widths, arb(1.5), arb(1), arb(1), 3, "")[0]
    weights = [exp(-w) for w in (2, 1.5, 1)]
    assert float(first.left.mid()) == pytest.approx(weights[0] / sum(weights))


@pytest.mark.parametrize(
    ("module", "make", "asked"),
    [
        (crossing, crossing.inexact, ["delta is 1/10 exactly", "both D_infinity <= ln 2"]),
        (preference, preference.bilinear_step, ["y'phi decreases in s"]),
    ],
)
def test_what_a_counterexample_rests_on_is_asked(module, make, asked, monkeypatch):
    """Each premise is looked at, and holds; if one did not, there would be no counterexample."""
    seen = []
    monkeypatch.setattr(module, "require_proof", lambda *what: seen.append(what))
    make()
    assert [what for _, what in seen] == asked
    assert all(bool(holds) for holds, _ in seen)

    def refuse(holds, what):
        raise ProofError(what)

    monkeypatch.setattr(module, "require_proof", refuse)
    with pytest.raises(ProofError):
        make()


# --- linear -----------------------------------------------------------------------------------
def line(eta, beta0, actions=((1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)), n=9, weights=None):
    generator = np.random.default_rng(2)
    x = generator.standard_normal((n, 2))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    own = {"eta": eta, "beta0": beta0, "penalty": 1.0}
    with np.errstate(divide="ignore"):
        reference = None if weights is None else np.log(weights)
    return LinearAudit(x, generator.random(n), np.array(actions), log_reference=reference, **own)


@pytest.mark.parametrize(("eta", "beta0"), [(1e-3, 0.0), (1e-4, 0.0), (1e-3, 1.0)])
def test_sharp_policies_keep_finite_certificates(eta, beta0):
    """Changes of hundreds: e^change overflows, pi underflows; nothing becomes NaN."""
    audit, worst = line(eta, beta0), Worst(EPSILONS)
    own = AdditionCertificate(audit)
    audit.additions(worst)
    assert (np.exp(audit.log_pi) == 0).any()
    assert worst.pure <= own.ratios.pure < 3 * worst.pure
    for epsilon in EPSILONS:
        assert worst.delta[epsilon] <= own.delta(epsilon) <= 1.0


def test_a_null_action_has_no_width_to_lose():
    """phi = 0: its score stays 0; against it e1 loses at most its own change."""
    audit, worst = line(0.5, 1.0, ((1.0, 0.0), (0.0, 0.0))), Worst()
    with np.errstate(divide="raise", invalid="raise"):
        own = AdditionCertificate(audit)
    audit.additions(worst)
    assert own.narrower[1] == 0.0
    assert worst.pure <= own.ratios.pure <= 1.02 * worst.pure


def test_equal_actions_do_not_move_apart():
    twice = ((1.0, 0.0), (0.6, 0.8), (0.6, 0.8))
    change = AdditionCertificate(line(0.5, 1.0, twice)).change
    assert np.array_equal(np.diag(change), np.zeros(3))
    assert change[1, 2] == pytest.approx(change[2, 1])
    assert change[0, 1] == pytest.approx(change[0, 2], rel=1e-9)


@pytest.mark.parametrize(("count", "fewer"), [(8, True), (9, False)])
def test_events_bound_delta_up_to_eight_actions(count, fewer, monkeypatch):
    audit = line(0.05, 0.3, np.eye(2)[[0] * count] * np.linspace(0.2, 1, count)[:, None])
    own = AdditionCertificate(audit)
    asked = own.delta(0.1)
    monkeypatch.setattr(own, "_delta_by_events", lambda epsilon: -1.0)
    assert (own.delta(0.1) == -1.0) == fewer
    assert asked > 0


@pytest.mark.parametrize(("count", "sharper"), [(32, True), (33, False)])
def test_pairs_get_eigenvalues_up_to_1024_of_them(count, sharper):
    turns = np.linspace(0, 3, count)
    audit = line(0.5, 0.3, np.stack([np.cos(turns), np.sin(turns)], axis=1))
    own = AdditionCertificate(audit, first=1)
    apart = np.array([own._lengths(own.moves - one) for one in own.moves])
    cheap = own.reach * apart + own.narrower[None, :]
    np.fill_diagonal(cheap, 0.0)
    assert (own.change < cheap - 1e-9).any() == sharper
    assert (own.change <= cheap).all()


def test_an_inverse_that_is_off_is_not_trusted():
    """rho = |1 - Sigma P| + ..: of 0.09 the bound is finite, of 0.11 it is not."""
    audit = line(0.5, 1.0)
    sigma = np.linalg.inv(audit.ridge.inverse)
    for off, finite in ((0.09, True), (0.11, False)):
        shift = np.linalg.inv(sigma) @ np.diag([off, 0.0])
        object.__setattr__(audit.ridge, "inverse", np.linalg.inv(sigma) + shift)
        assert np.isfinite(rounding(audit)) == finite


def test_rounding_by_hand():
    """d = n = 1, lambda = 1, x = 1 of reward 1: Sigma 2, P 1/2, theta 1/2, one action, R = 1."""
    audit = LinearAudit(np.ones((1, 1)), np.ones(1), np.ones((1, 1)), eta=0.25, beta0=3.0,
                        penalty=1.0)  # fmt: skip
    unit, norm, theta = 2.0**-53, 0.5, 0.5
    sums = (1 + 8) * unit * 2
    rho = 2 * sums * norm
    residual = sums * theta + (1 + 8) * unit
    moved = 2 * norm * residual + 8 * unit * theta
    reach = 1 + theta
    scores = moved * (1 + norm) + 2 * rho * norm * (reach + 3 * 2**0.5)
    scores += 16 * unit * (reach + 3 * norm**0.5)
    expected = 8 * scores / 0.25 + 16 * (8 + 1) * unit
    assert rounding(audit) == pytest.approx(expected, rel=1e-9, abs=0)


def test_what_is_added_for_rounding():
    """A factor 1 + 1e-12, and 1e-12 or the proven slack; 8 (d + 1) 2^-53 |matrix|."""
    own = AdditionCertificate(line(0.5, 1.0))
    slack = own.slack
    assert own._rounded(1.0) - 1.0 == pytest.approx(1e-12 + slack, rel=1e-3, abs=0)
    carried = _Carried(own.audit)
    (raw,), more = carried._part(slice(0, 1), []), 2 * slack / carried.left.min() ** 2
    assert carried.bounds([])[0] - raw == pytest.approx(1e-12 * raw + more, rel=1e-2, abs=0)
    bound = float(delta_of_spread(*own.spread, own.ratios.pure, 0.01))
    assert own._delta_by_variance(0.01) - bound == pytest.approx(
        1e-12 * bound + slack, rel=1e-2, abs=0
    )
    box = np.zeros((1, 1)), np.ones((1, 1))
    none = branch_and_bound(*box, lambda c, h: np.full(len(c), -np.inf), 3.0, 0.5, 1)
    assert none - 3.5 == pytest.approx(1e-12 * (1 + 3.5 + 1), rel=1e-3, abs=0)
    some = branch_and_bound(*box, lambda c, h: np.full(len(c), 5.0), 3.0, 0.5, 1, cells=2)
    assert some - 5.0 == pytest.approx(1e-12 * (5 + 1), rel=1e-3, abs=0)
    quadratic = np.diag([-4.0, -4.0])[None]  # eigenvalues -4, -4, 0; the matrix' norm is sqrt 32
    most, _ = _top(np.zeros((1, 3, 3)), quadratic, 0.0, np.zeros(1), np.ones(3))
    assert most[0] == pytest.approx(8 * 3 * 2.0**-53 * 32**0.5, rel=1e-9, abs=0)


# --- preferences ------------------------------------------------------------------------------
def duel(eta=0.5, beta0=0.5, radius=1.0, actions=((1.0, 0.0), (0.0, 1.0)), signed=None, times=20):
    if signed is None:
        turns = np.arange(8) * np.pi / 4
        signed = 2 * np.repeat(np.stack([np.cos(turns), np.sin(turns)], axis=1), times, axis=0)
    own = {"eta": eta, "beta0": beta0, "penalty": 1.0, "radius": radius}
    return PreferenceAudit(Preferences(signed), np.array(actions), **own)


def test_sharp_policies_of_preferences_keep_finite_certificates():
    audit, worst = duel(1e-6, 5.0, actions=((1.0, 0.0), (0.0, 0.1))), Worst(EPSILONS)
    assert (np.exp(audit.log_pi) == 0).any()
    with np.errstate(invalid="raise"):
        own = PreferenceCertificate(audit)
    audit.additions(worst)
    assert worst.pure <= own.ratios.pure < 2 * worst.pure
    assert all(worst.delta[e] <= own.delta(e) <= 1 for e in EPSILONS)


def test_what_is_added_for_rounding_in_preferences():
    """128 2^-53 (1 + A/8 + (|theta| + beta0 |P|^(1/2))/eta); and, where the move is known, 8/eta
    times 4 (error + 2 .. beta0) of the scores."""
    audit = duel(0.25, 3.0, signed=np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]))
    own = PreferenceCertificate(audit)  # Sigma = 3, |P| = 1/3, theta = 0, two actions
    unit, norm = 2.0**-53, 1 / 3
    assert own.theta == pytest.approx(np.zeros(2), abs=1e-15)
    of_scores = 128 * unit * (1 + 2 / 8 + 3 * norm**0.5 / 0.25)
    assert own._rounding_of_scores() == pytest.approx(of_scores, rel=1e-9, abs=0)
    sums = (4 + 8 * 2) * unit * 6  # records, dimension, trace
    residue = np.linalg.norm(np.eye(2) - audit.data.covariance(1.0) @ audit.inverse)
    rho = residue + 2 * sums * norm
    scores = 4 * 1e-9 + 2 * 3 * rho * norm * 3**0.5 + 64 * unit * 7.0
    assert own._rounding(1e-9, 7.0) == pytest.approx(8 * scores / 0.25, rel=1e-9, abs=0)
    scores = 4 * 1e-14 + 2 * 3 * rho * norm * 3**0.5 + 64 * unit * 7.0
    assert own._rounding(1e-14, 7.0) == pytest.approx(8 * scores / 0.25, rel=1e-9, abs=0)


@pytest.mark.parametrize("taken", [None, np.array([2.0, 0.0])])
def test_what_a_search_for_records_is_asked(taken, monkeypatch):
    """A ball of radius 2, 35 rounds of 12 tries for the best 3, by the pure loss and by delta."""
    audit, asked = duel(times=1), []

    def maximise(objective, points, radius, label, **more):
        assert len(objective(points[:3])) == 3
        asked.append((radius, label, more))
        return points[0], 0.0

    monkeypatch.setattr("dpbandits.offline.preference.loss.maximise", maximise)
    worst = Worst((0.5,))
    audit.additions(worst, taken, {"kind": "swap", "row": 3} if taken is not None else None)
    effort = {"rounds": 35, "keep": 3, "tries": 12}
    assert asked == [(2.0, "pure", effort), (2.0, "delta 0.5", effort)]
    told = {"kind": "add"} if taken is None else {"kind": "swap", "row": 3}
    first = audit.starting_points()[0]
    assert worst.neighbour == {"x": first.tolist(), "label": 1} | told
    records = [*audit.data.signed, first]
    if taken is not None:
        records.pop(int(np.argmax((audit.data.signed == taken).all(axis=1))))
    again = duel(signed=np.array(records))
    assert worst.pure == pytest.approx(float(pure_epsilon(audit.log_pi, again.log_pi)), rel=1e-9)


def test_equal_actions_of_preferences_do_not_move_apart_though_nothing_is_known():
    """Three records: only |theta| <= B is left, and that bounds no difference of equal actions."""
    audit = duel(beta0=0.0, actions=((1.0, 0.0), (0.0, 1.0), (0.0, 1.0)), times=1)
    audit = duel(beta0=0.0, actions=audit.actions, signed=audit.data.signed[:3])
    own = PreferenceCertificate(audit)
    assert np.isinf(own.near)
    assert own.change[1, 2] == own.change[2, 1] == 0.0
    assert own.change[0, 1] > 0


def test_curvature_decides_what_is_known_of_the_move():
    """Differences 2 along the axes, labels even, `times` each: h = 2 times, zeta = 2/sqrt(h), the
    widest 2/sqrt(h), sigma 1/2: zeta Q = 1/times. At 1 only the ball is left."""
    axes = 2.0 * np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    for times in (1, 2):
        audit = duel(signed=np.repeat(axes, times, axis=0))
        own = PreferenceCertificate(audit)
        assert audit.gradient_and_hessian()[1] == pytest.approx(2 * times * np.eye(2))
        assert np.isfinite(own.near) == np.isfinite(own.moved) == (times > 1)
        assert own.widest == pytest.approx(2 / (2 * times) ** 0.5)
    s = np.log(2)  # -ln(1 - 1/2)
    assert own.moved == pytest.approx(s / 1 / 2, rel=1e-8)  # over zeta = 1, sqrt(h) = 2
    high, low = 2 * s, s  # s/(1 - e^-s), s/(e^s - 1)
    assert own.near == pytest.approx((high + low) / 2, rel=1e-8)
    assert own.far == pytest.approx((high - low) / 2, rel=1e-8)


def test_without_a_ball_all_is_that_of_a_ball_never_reached():
    """Contrasts of an action with itself have no length: 0 times infinity is not asked for."""
    with np.errstate(invalid="raise", divide="raise"):
        free, wide = (PreferenceCertificate(duel(radius=r)) for r in (np.inf, 1e3))
    assert free.change == pytest.approx(wide.change, rel=1e-12)
    assert free.ratios.pure == pytest.approx(wide.ratios.pure, rel=1e-12)
    flat = duel(radius=np.inf, signed=np.array([[2.0, 0.0], [-2.0, 0.0]]))
    with np.errstate(invalid="raise"):
        found = PreferenceCertificate(flat)
    assert found.change.tolist() == [[0, np.inf], [np.inf, 0]]


def test_on_the_surface_without_curvature_across_the_mle_may_leave():
    """Records along e1 only: the Hessian is flat across them, nu is not; so (1/2, 1/2) is left."""
    signed = np.array([[1.0, 0.0]] * 30 + [[-1.0, 0.0]] * 10)
    audit = duel(beta0=0.3, radius=0.5, signed=signed)
    assert np.linalg.norm(audit.theta) == pytest.approx(0.5)
    own = PreferenceCertificate(audit)
    assert (own.near < 0.6, own.extra) == (True, 0.0)
    x = np.random.default_rng(0).standard_normal((200, 1, 2))
    x *= 2 / np.linalg.norm(x, axis=2, keepdims=True)
    moved = audit.log_pi - audit.changed(x, np.ones((200, 1)))
    assert (moved.max(axis=0) <= own.ratios.forth).all()
    assert (-moved.min(axis=0) <= own.ratios.back).all()


def test_on_the_surface_a_large_turn_leaves_only_halves():
    """Up to 0.9 of |theta| in the norm of (H + nu)^-1 what is along theta is projected out."""
    signed = np.concatenate([np.eye(2)] * 300 + [-np.eye(2)] * 20)
    audit = duel(beta0=0.3, radius=0.2, signed=signed)
    own, theta = PreferenceCertificate(audit), audit.theta
    assert own.extra > 0  # it stays
    gradient, hessian = audit.gradient_and_hessian()
    nu = gradient @ theta / (theta @ theta)
    stiff = np.linalg.eigvalsh(hessian + nu * np.eye(2))[0]
    length = np.sqrt(theta @ np.linalg.solve(hessian + nu * np.eye(2), theta))
    for share, kept in ((0.89, True), (0.91, False)):
        own.near, own.far, own.extra = 1.0, 0.0, 0.0
        own._on_the_ball(hessian, nu, share * length * np.sqrt(stiff), 1.0, 1.0)
        expected = (1.0, share) if kept else (0.5, 0.5)
        assert (own.near, own.far) == pytest.approx(expected)
        if kept:  # moved^2/(2 (length - shift))
            moved = share * length * np.sqrt(stiff)
            assert own.extra == pytest.approx(moved**2 / (2 * length * (1 - share)))
    own._on_the_ball(hessian, 1e-9, 0.1 * length * np.sqrt(stiff), 1.0, 1.0)  # nothing holds it
    assert own.near == 0.25


@pytest.mark.parametrize("count", [3, 50])
def test_how_many_starts_a_search_has(count):
    """Both ways: actions, images and contrasts (one is 0), up to 40 of each, axes and theta, and 64
    of the ball, at rewards 0, 1/2, 1; or up to 20 actions, axes and theta, and 32 at 3 lengths."""
    turns = np.linspace(0.1, 3, count)
    actions = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    most, few = min(count, 40), min(count, 20)
    found = line(0.5, 1.0, actions).starting_points()
    assert found.shape == (3 * (2 * (3 * most - 1 + 2 + 1) + 64), 3)
    assert set(found[:, 2]) == {0.0, 0.5, 1.0}
    signed = np.array([[1.0, 0.5], [1.0, 0.0], [-1.0, 0.25], [0.0, 1.0], [0.0, -1.0]])
    found = duel(actions=actions, signed=signed).starting_points()
    assert found.shape == (3 * (2 * (few + 1 + 2) + 32), 2)
    lengths = np.linalg.norm(found, axis=1).reshape(3, -1).max(axis=1)
    assert lengths == pytest.approx([2.0, 0.6, 0.06])
