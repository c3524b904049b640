"""The MLE against another optimiser and optimality; audits of (11) against refits."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from dpbandits.core.divergences import delta_at, log_normalise, pure_epsilon
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.mechanisms.audits import preference_loss
from dpbandits.offline.mechanisms.theorems import preference_bounds
from dpbandits.offline.preference.certificate import PreferenceCertificate
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.mle import SeparableData, ball_maximum, fit, log_sigmoid
from dpbandits.offline.problem import Preferences, draw_preferences, preference_policy


def example(seed, d, n=30, radius=1.0, m=4):
    generator = np.random.default_rng(seed)
    data = draw_preferences(n, np.full(d, 1.5 / np.sqrt(d)), 0.4, generator)
    actions = generator.standard_normal((m, d))
    actions /= np.maximum(1.0, np.linalg.norm(actions, axis=1, keepdims=True))
    eta, beta0 = float(10 ** generator.uniform(-1.5, 0)), float(generator.choice([0.0, 0.5, 2.0]))
    return PreferenceAudit(data, actions, eta=eta, beta0=beta0, penalty=1.0, radius=radius)


def other_optimiser(signed, radius):
    d = signed.shape[1]
    ball = {"type": "ineq", "fun": lambda t: radius**2 - t @ t, "jac": lambda t: -2 * t}
    return minimize(
        lambda t: -log_sigmoid(signed @ t).sum(),
        np.zeros(d),
        jac=lambda t: -(expit(-signed @ t) @ signed),
        constraints=[ball],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    ).x


@pytest.mark.parametrize("radius", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(("seed", "d"), [(0, 1), (1, 2), (2, 4)])
def test_mle_agrees_with_slsqp(seed, d, radius):
    signed = example(seed, d).data.signed
    theta = fit(signed, radius)
    assert theta == pytest.approx(other_optimiser(signed, radius), abs=1e-6)
    gradient = expit(-signed @ theta) @ signed
    if np.linalg.norm(theta) < radius - 1e-9:
        assert np.abs(gradient).max() < 1e-9
    else:  # on the sphere the gradient points outwards along theta
        outward = (gradient @ theta) / radius**2
        assert outward >= 0
        assert np.abs(gradient - outward * theta).max() < 1e-7


def test_closed_form_in_dimension_one():
    """k of n labels 1 at difference 2: theta = ln(k/(n-k))/2."""
    signed = np.array([[2.0]] * 7 + [[-2.0]] * 3)
    assert fit(signed)[0] == pytest.approx(np.log(7 / 3) / 2, abs=1e-13)
    assert fit(signed, 0.1)[0] == pytest.approx(0.1, abs=1e-13)


def test_separable_data_have_no_unconstrained_mle_but_a_constrained_one():
    signed = np.array([[1.0, 0.2], [0.5, -0.1], [2.0, 0.0]])
    with pytest.raises(SeparableData, match="separates the labels"):
        fit(signed)
    assert np.linalg.norm(fit(signed, 2.0)) == pytest.approx(2.0, abs=1e-12)


def test_flat_directions_are_left_at_zero():
    signed = np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    assert fit(signed, 5.0) == pytest.approx([np.log(2), 0.0], abs=1e-12)


@pytest.mark.parametrize(("seed", "d", "radius"), [(3, 1, 3.0), (4, 2, 0.5), (5, 3, 3.0)])
def test_removals_and_flips_are_refits(seed, d, radius):
    audit = example(seed, d, radius=radius)
    removed, flipped = Worst(), Worst()
    audit.removals(removed)
    audit.flips(flipped)
    signed = audit.data.signed

    def policy(records):
        data = Preferences(records)
        return preference_policy(data, audit.actions, audit.eta, audit.beta0, 1.0, radius)

    less = np.array([policy(np.delete(signed, i, 0)) for i in range(len(signed))])
    turned = []
    for i in range(len(signed)):
        records = signed.copy()
        records[i] *= -1
        turned.append(policy(records))
    assert removed.pure == pytest.approx(pure_epsilon(audit.log_pi, less).max(), rel=1e-7)
    losses = pure_epsilon(audit.log_pi, np.array(turned))
    assert flipped.pure == pytest.approx(losses.max(), rel=1e-7)


@pytest.mark.parametrize(("seed", "d"), [(6, 1), (7, 2), (8, 2)])
def test_no_addition_of_a_sample_beats_the_search_or_the_bound(seed, d):
    audit = example(seed, d, radius=3.0)
    worst = Worst()
    audit.additions(worst)
    generator = np.random.default_rng(seed)
    x = generator.standard_normal((1500, d))
    x *= 2 / np.linalg.norm(x, axis=1, keepdims=True)
    x *= generator.choice([1.0, generator.random()], (1500, 1))
    policies = audit.changed(x[:, None, :], np.ones((1500, 1)))
    assert pure_epsilon(audit.log_pi, policies).max() <= worst.pure * (1 + 1e-9)
    bounds = audit.addition_bounds(())
    assert worst.pure <= bounds[None]
    records = np.vstack([audit.data.signed, worst.neighbour["x"]])
    again = preference_policy(
        Preferences(records), audit.actions, audit.eta, audit.beta0, 1.0, audit.radius
    )
    assert float(pure_epsilon(audit.log_pi, again)) == pytest.approx(worst.pure, rel=1e-7)


def test_equal_records_are_solved_once_and_flips_are_exact():
    audit = example(9, 2)
    doubled = Preferences(np.vstack([audit.data.signed] * 3))
    again = PreferenceAudit(
        doubled, audit.actions, eta=audit.eta, beta0=audit.beta0, penalty=1.0, radius=1.0
    )
    assert len(again.rows) == len(audit.rows)
    assert preference_loss(again, ("flip",)).method == "exact"
    assert preference_loss(again, ("remove", "flip"), (0.1,)).method == "exact"


@pytest.mark.parametrize(
    ("seed", "d", "n", "radius"),
    [
        (50, 1, 60, 3.0),
        (51, 2, 100, 4.0),
        (52, 4, 100, 4.0),
        (53, 3, 60, 0.3),
        (54, 2, 8, 1.0),
        (57, 2, 150, 0.5),
    ],
)
def test_certificates_of_additions_and_swaps_are_above_refits(seed, d, n, radius, monkeypatch):
    """Random and long differences, inside the ball and on its surface."""
    monkeypatch.setattr("dpbandits.offline.preference.loss.SEARCHED", 2)
    audit, epsilons = example(seed, d, n=n, radius=radius), (0.05, 0.5)
    proved, worst, swapped = PreferenceCertificate(audit), Worst(epsilons), Worst(epsilons)
    audit.additions(worst)
    bounds = audit.swaps(swapped)
    generator = np.random.default_rng(seed)
    x = generator.standard_normal((600, d))
    x *= 2 / np.linalg.norm(x, axis=1, keepdims=True)
    x *= generator.choice([1.0, generator.random()], (600, 1))
    policies = audit.changed(x[:, None, :], np.ones((600, 1)))
    ratios = audit.log_pi - policies
    assert np.all(ratios.max(axis=0) <= proved.ratios.forth)
    assert np.all(-ratios.min(axis=0) <= proved.ratios.back)
    pairs = np.stack([x, audit.rows[generator.integers(0, len(audit.rows), 600)]], axis=1)
    others = audit.changed(pairs, np.tile([1.0, -1.0], (600, 1)))
    assert max(pure_epsilon(audit.log_pi, others).max(), swapped.pure) <= bounds[None]
    assert worst.pure <= proved.ratios.pure
    for epsilon in epsilons:
        most = max(delta_at(audit.log_pi, policies, epsilon).max(), worst.delta[epsilon])
        assert most <= proved.delta(epsilon)
        most = max(delta_at(audit.log_pi, others, epsilon).max(), swapped.delta[epsilon])
        assert most <= bounds[epsilon]


def test_inside_the_ball_and_with_many_records_the_certificate_is_close():
    audit = example(55, 2, n=2000, radius=5.0)
    found = preference_loss(audit, ("add",))
    assert found.method == "certified"
    assert found.pure_epsilon <= 1.05 * found.worst_neighbour["attained"]["pure"]


def test_on_the_surface_the_certificate_is_close_if_the_mle_stays_there():
    audit = example(58, 3, n=4000, radius=0.8)
    assert np.linalg.norm(audit.theta) == pytest.approx(0.8, abs=1e-12)
    found = preference_loss(audit, ("add",))
    assert found.pure_epsilon <= 1.1 * found.worst_neighbour["attained"]["pure"]


def test_without_curvature_only_the_ball_is_left():
    """All records along one direction: across it the MLE is free to jump."""
    data = Preferences(np.tile([[1.0, 0.0], [-1.0, 0.0]], (10, 1)))
    actions = np.array([[0.0, 1.0], [0.0, -1.0]])
    audit = PreferenceAudit(data, actions, eta=1.0, beta0=0.0, penalty=1.0, radius=0.7)
    found = preference_loss(audit, ("add",))
    assert found.worst_neighbour["attained"]["pure"] == pytest.approx(found.pure_epsilon, rel=1e-3)
    assert found.method == "certified"


@pytest.mark.filterwarnings("error")
def test_without_a_ball_the_certificate_is_that_of_a_ball_never_reached():
    free, wide = (example(59, 2, n=100, radius=radius) for radius in (np.inf, 50.0))
    for kinds in (("add",), ("swap",)):
        one, two = preference_loss(free, kinds, (0.1,)), preference_loss(wide, kinds, (0.1,))
        assert one.method == two.method == "certified"
        assert one.pure_epsilon == pytest.approx(two.pure_epsilon, rel=1e-6)
        assert one.delta_at[0.1] == pytest.approx(two.delta_at[0.1], rel=1e-6)


def test_swaps_of_too_many_records_are_searched_and_said_so(monkeypatch):
    monkeypatch.setattr("dpbandits.offline.preference.loss.SWAPPED", 5)
    found = preference_loss(example(56, 2), ("swap",), (0.1,))
    assert found.method == "bound"
    assert "KL-T4-pure, repaired" in found.worst_neighbour["theorem"]
    attained = found.worst_neighbour["attained"]
    assert 0 < attained["0.1"] < 1
    assert attained["0.1"] <= found.delta_at[0.1] <= 1
    assert attained["pure"] < found.pure_epsilon < np.inf
    nothing = preference_loss(example(56, 2, n=3), ("swap",), (0.1,))  # lambda_min is too small
    assert "theorem" not in nothing.worst_neighbour


@pytest.mark.parametrize("n", [200, 2000])
def test_the_theorem_of_swaps_is_above_all_that_is_found(n, monkeypatch):
    monkeypatch.setattr("dpbandits.offline.preference.loss.SWAPPED", 5)
    audit = example(58, 2, n=n)
    own = preference_bounds(audit, ("swap",))
    reached = Worst((0.1,))
    audit.swaps(reached)
    assert reached.pure <= own.pure < np.inf
    assert reached.delta[0.1] <= own.delta(0.1)


def test_a_ball_over_a_flat_direction_with_a_small_slope():
    """The maximiser runs to the surface along it: s_1^2 + s_2^2 = 100 with (1 + nu) s_1 = 1."""
    hessian, gradient = np.diag([1.0, 0.0])[None], np.array([[1.0, 1e-11]])
    with np.errstate(invalid="raise", divide="raise"):
        s = ball_maximum(hessian, gradient, np.zeros((1, 2)), np.array([10.0]))[0]
    assert s == pytest.approx([1.0, np.sqrt(99.0)], rel=1e-9)


def test_neighbours_of_data_on_a_line_stay_on_it():
    """Off the line the likelihood is flat: rounding must not carry the MLE away from it."""
    z = np.array([0.98773461, 0.4869904])
    signed = np.array([1, 1, -1, -1, 1])[:, None] * z
    actions = np.array([[1.0, 0.0], [-0.3, 0.9], [0.0, -1.0]])
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=1.0, beta0=0.0, penalty=1.0, radius=20.0
    )
    worst = Worst()
    audit.removals(worst)
    # 3 against 2 become 2 against 2 (theta = 0) or 3 against 1.
    logs = [np.log(won / lost) / (z @ z) * actions @ z for won, lost in ((3, 2), (2, 2), (3, 1))]
    own, *others = (log_normalise(s) for s in logs)
    assert worst.pure == pytest.approx(pure_epsilon(own, np.array(others)).max(), rel=1e-9)
    flips = Worst()
    audit.flips(flips)
    turned = np.array([log_normalise(np.log(w / (5 - w)) / (z @ z) * actions @ z) for w in (2, 4)])
    assert flips.pure == pytest.approx(pure_epsilon(own, turned).max(), rel=1e-9)


def test_removing_the_only_record_leaves_no_reward():
    audit = PreferenceAudit(
        Preferences(np.array([[0.6, 0.8]])), np.eye(2), eta=1.0, beta0=0.0, penalty=1.0, radius=3.0
    )
    with np.errstate(invalid="raise", divide="raise", over="raise"):
        gone = audit.changed(audit.rows[:, None, :], -np.ones((1, 1)))
    assert gone == pytest.approx(np.full((1, 2), -np.log(2)), abs=1e-15)
