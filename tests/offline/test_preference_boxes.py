"""Branch and bound over the MLE: it loses no addition, and it is close where widths do not move."""

import numpy as np
import pytest

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline.engine.search import starts_in_ball
from dpbandits.offline.mechanisms.audits import preference_loss
from dpbandits.offline.preference.boxes import (
    PEAK,
    SAFE,
    SIZE,
    _growth,
    _on_surface,
    _pull,
    _reached,
    certified_additions,
)
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.mle import fit
from dpbandits.offline.problem import Preferences


def example(seed, d, n, radius, beta0=0.0, separable=False):
    generator = np.random.default_rng(seed)
    signed = starts_in_ball(d, 2.0, np.zeros((0, d)), n, generator)
    if separable:
        signed *= np.where(signed[:, :1] < 0, -1.0, 1.0)
    actions = starts_in_ball(d, 1.0, np.zeros((0, d)), 4, generator)
    eta = float(10 ** generator.uniform(-1, 0))
    return PreferenceAudit(
        Preferences(signed), actions, eta=eta, beta0=beta0, penalty=1.0, radius=radius
    ), generator


CASES = [
    (seed, d, n, radius, separable)
    for seed, (d, n, radius) in enumerate(
        [
            (1, 1, 1.0),
            (1, 5, 3.0),
            (2, 2, 0.3),
            (2, 6, 2.0),
            (2, 40, 1.0),
            (3, 4, 1.0),
            (3, 30, 4.0),
        ]
    )
    for separable in (False, True)
]


@pytest.mark.parametrize(("seed", "d", "n", "radius", "separable"), CASES)
def test_every_box_around_a_real_mle_is_kept(seed, d, n, radius, separable):
    audit, generator = example(seed, d, n, radius, separable=separable)
    added = starts_in_ball(d, 2.0, np.zeros((0, d)), 40, generator)
    theta = np.array([fit(np.concatenate([audit.data.signed, [z]]), radius) for z in added])
    for half in (1e-9, 1e-4, 0.01, 0.3, 2.0):
        shift = generator.uniform(-1, 1, theta.shape) * half * (1 - 1e-6)
        assert _reached(audit, theta + shift, np.full(theta.shape, half)).all()


@pytest.mark.parametrize(("seed", "d", "n", "radius", "separable"), CASES)
def test_the_bound_is_above_a_dense_sample_and_close_to_the_search(seed, d, n, radius, separable):
    audit, generator = example(seed, d, n, radius, separable=separable)
    found = preference_loss(audit, ("add",), (0.1,))
    points = starts_in_ball(d, 2.0, np.zeros((0, d)), 2000, generator)[:, None, :]
    sampled = audit.changed(points, np.ones((len(points), 1)))
    assert found.pure_epsilon >= pure_epsilon(audit.log_pi, sampled).max()
    assert found.delta_at[0.1] >= delta_at(audit.log_pi, sampled, 0.1).max()
    if d < 3:
        attained = found.worst_neighbour["attained"]
        assert found.pure_epsilon <= 1.02 * attained["pure"]


def test_boxes_that_no_addition_reaches_are_dropped():
    """300 records of a contested direction: the MLE cannot move by more than a little."""
    signed = np.array([[2.0]] * 150 + [[-2.0]] * 150)
    audit = PreferenceAudit(
        Preferences(signed), np.array([[1.0], [-1.0]]), eta=1.0, beta0=0.0, penalty=1.0, radius=1.0
    )
    # one more label: theta = ln(151/150)/2 = 0.00332; a box from 0.0034 on is out of reach
    assert not _reached(audit, np.array([[0.0035]]), np.array([[0.0001]]))[0]
    assert _reached(audit, np.array([[0.0033]]), np.array([[0.0001]]))[0]
    exact = np.log(151 / 150) / 2
    loss = exact + np.log(np.cosh(exact))
    assert certified_additions(audit, loss) == pytest.approx(loss, rel=3e-3)


def test_the_pull_of_a_record_by_hand():
    """max of t sigma(t a) over t from 0 to 2: at t = 2, or, where that is too far, at PEAK/-a."""
    assert pytest.approx(PEAK * np.exp(PEAK), rel=1e-14) == 1 + np.exp(PEAK)  # the slope is 0
    assert pytest.approx(PEAK / (1 + np.exp(PEAK)), rel=1e-14) == SIZE
    a = np.array([1.0, 0.0, -0.6, -0.65, -4.0])
    expected = [2 / (1 + np.exp(-2)), 1.0, 2 / (1 + np.exp(1.2)), SIZE / 0.65, SIZE / 4]
    assert _pull(a) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("along", "across", "balanced"),
    [
        (-0.45, 0.89, True), (-0.45, 0.91, False),  # p from 21/24: sqrt(4 - p^2)/2 = 0.8992
        (-0.99, 0.20, True), (-0.99, 0.21, False),  # from 47/24: 0.2030; to 2: 1 is the most
        (0.45, 1.0, True), (0.45, 1.01, False),  # nothing has to pull outward: p = 0
        (-1.0, 0.2, True), (-1.01, 0.2, False),
    ],
)  # fmt: skip
def test_what_balances_a_gradient_on_the_surface(along, across, balanced):
    """96 slabs of p from -2 to 2; sigma is 1/2, as the ball is a point."""
    centre, gradient = np.array([[1e-9, 0.0]]), np.array([[along, across]])
    found = _on_surface(0.0, centre, gradient, np.zeros(1), np.zeros(1))
    assert found.tolist() == [balanced]


@pytest.mark.parametrize("far", [1.0, 300.0])
def test_products_of_known_factors_are_the_exponentials_of_the_margins(far):
    generator = np.random.default_rng(5)
    rows = generator.uniform(-1, 1, (7, 3))
    centres = far * generator.integers(-3, 4, (20, 3)) / 4
    found = _growth(rows, centres)(slice(3, 19))
    exact = np.exp(np.minimum(centres[3:19] @ rows.T, SAFE))
    assert found == pytest.approx(exact, rel=1e-11)
