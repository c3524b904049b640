"""The maximum likelihood over a ball: conditions of optimality and closed forms."""

import numpy as np
import pytest
from scipy.special import expit

from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.mle import SeparableData, ball_maximum, fit, fit_many
from dpbandits.offline.problem import Preferences
from dpbandits.reproduction.kl.draws import draw_preferences


@pytest.mark.parametrize("radius", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_mle_meets_the_conditions_of_optimality(d, radius):
    """They are sufficient: the likelihood is concave."""
    generator = np.random.default_rng(d)
    signed = draw_preferences(30, np.full(d, 1.5 / np.sqrt(d)), 0.4, generator).signed
    theta = fit(signed, radius)
    assert np.linalg.norm(theta) <= radius * (1 + 1e-12)
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


def test_ball_over_a_flat_direction_with_a_small_slope():
    """The maximiser runs to the surface along it: s_1^2 + s_2^2 = 100 with (1 + nu) s_1 = 1."""
    hessian, gradient = np.diag([1.0, 0.0])[None], np.array([[1.0, 1e-11]])
    with np.errstate(invalid="raise", divide="raise"):
        s = ball_maximum(hessian, gradient, np.zeros((1, 2)), np.array([10.0]))[0]
    assert s == pytest.approx([1.0, np.sqrt(99.0)], rel=1e-9)


def test_problems_with_and_without_a_ball_are_solved_side_by_side():
    signed = np.array([[1.0, 0.5], [-0.5, 1.0], [-1.0, -0.25], [0.25, -1.0], [0.5, 0.5]])
    none = np.zeros((2, 0, 2)), np.zeros((2, 0))
    both = fit_many(signed, np.ones(5), *none, np.array([np.inf, 0.01]))
    for i, radius in enumerate((np.inf, 0.01)):
        alone = fit_many(signed, np.ones(5), none[0][:1], none[1][:1], radius)
        assert both[i] == pytest.approx(alone[0], rel=1e-9)
    assert np.linalg.norm(both[1]) == pytest.approx(0.01)
    assert np.linalg.norm(both[0]) > 0.02


def test_mle_stays_on_an_oblique_line_of_records():
    """The other eigenvalue is 0 up to rounding, of either sign."""
    for turn in np.linspace(0.1, 3, 12):
        u = np.array([np.cos(turn), np.sin(turn)])
        theta = fit(np.outer([1.0, -0.7, 0.3], u), 50.0)
        assert theta == pytest.approx((theta @ u) * u, abs=1e-7)


def test_removing_the_only_record_leaves_no_reward():
    own = {"eta": 1.0, "beta0": 0.0, "penalty": 1.0, "radius": 3.0}
    audit = PreferenceAudit(Preferences(np.array([[0.6, 0.8]])), np.eye(2), **own)
    with np.errstate(invalid="raise", divide="raise", over="raise"):
        gone = audit.changed(audit.rows[:, None, :], -np.ones((1, 1)))
    assert gone == pytest.approx(np.full((1, 2), -np.log(2)), abs=1e-15)
