"""The exact laws of the perturbed rivals' actions, against the plane and against draws."""

from math import inf, log

import numpy as np
import pytest
from scipy.special import expit

from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.problem import BanditData
from dpbandits.reproduction.kl import rivals
from dpbandits.reproduction.kl.draws import draw_preferences
from dpbandits.reproduction.kl.linear_perturbation import PerturbedRidge
from dpbandits.reproduction.kl.preference_perturbation import ObjectivePerturbation

ANGLES = np.array([0.1, 1.3, 2.9, 4.6])
ACTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)


def test_a_loss_that_rounding_hides_is_infinite():
    """One probability of all is hidden; or none, and the largest of two neighbours' counts."""
    seen = np.array([[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]])
    for laws, loss in ((seen, log(4)), (np.vstack([seen, [1.0, 0.0]]), inf)):
        found, own = rivals.loss_of_first(rivals.log_masses(laws))
        assert found == pytest.approx(loss)
        assert np.exp(own) == pytest.approx([0.5, 0.5])


# --- perturbed ridge regression ---------------------------------------------------------------
KINDS = ("output", "objective")


def ridge_data(n=30, sets=3):
    rng = np.random.default_rng(5)
    x = rng.standard_normal((sets, n, 2)) * [1.0, 0.4]
    r = rng.random((sets, n))
    return x.transpose(0, 2, 1) @ x + np.eye(2), np.einsum("snd,sn->sd", x, r)


def ridge_by_area(kind, sigma, response, noise):
    """Over a grid of b in polar coordinates about 0."""
    sizes = noise * np.linspace(0, 40, 4001)[1:]
    turns = np.linspace(0, 2 * np.pi, 1441)[:-1]
    weight = sizes * np.exp(-sizes / noise)
    b = sizes[:, None, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    theta = np.linalg.solve(sigma, response)
    shift = b if kind == "output" else b @ np.linalg.inv(sigma)
    chosen = ((theta + shift) @ ACTIONS.T).argmax(axis=2)
    mass = [((chosen == k).mean(axis=1) * weight).sum() for k in range(4)]
    return np.array(mass) / weight.sum()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("noise", [0.05, 1.0, 20.0])
def test_line_integrals_of_ridge_are_the_area(kind, noise):
    sigmas, responses = ridge_data()
    found = np.exp(PerturbedRidge(ANGLES, sigmas, responses, kind).log_policies(noise))
    expected = [ridge_by_area(kind, *each, noise) for each in zip(sigmas, responses, strict=True)]
    assert found == pytest.approx(np.array(expected), abs=2e-3)
    assert found.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-9)  # TRUSTED


# --- perturbed preferences --------------------------------------------------------------------
def records(n=15):
    return draw_preferences(n, np.array([0.6, 0.3]), 1.0, np.random.default_rng(3)).signed


def preferences_by_area(signed, noise, penalty):
    """The integral over theta, in polar coordinates, of the density of b(theta) x its Jacobian."""
    radius = np.tan(np.linspace(0, np.pi / 2, 601)[:-1])
    turns = np.linspace(0, 2 * np.pi, 721)[:-1] + np.pi / 721
    stretch = 1 + radius**2
    mass = np.zeros(len(ACTIONS))
    for angle in turns:
        u = np.array([np.cos(angle), np.sin(angle)])
        own = expit(-radius[:, None] * (signed @ u))
        b = penalty * radius[:, None] * u - own @ signed
        spread = own * (1 - own)
        hessian = np.einsum("tn,ni,nj->tij", spread, signed, signed) + penalty * np.eye(2)
        density = np.exp(-np.linalg.norm(b, axis=1) / noise) / (2 * np.pi * noise**2)
        column = density * np.linalg.det(hessian) * radius * stretch
        mass[np.argmax(ACTIONS @ u)] += column.sum()
    return mass * (np.pi / 2 / 600) * (2 * np.pi / 720)


@pytest.mark.parametrize(("noise", "penalty"), [(0.7, 1.0), (30.0, 0.2)])
def test_line_integrals_of_preferences_are_the_area(noise, penalty):
    signed = records()
    changes, signs = np.array([signed[0], [2.0, 0.0]]), np.array([-1.0, 1.0])
    found = np.exp(
        ObjectivePerturbation(signed, ANGLES, penalty).log_policies(noise, changes, signs)
    )
    neighbours = signed, signed[1:], np.vstack([signed, [2.0, 0.0]])
    expected = [preferences_by_area(each, noise, penalty) for each in neighbours]
    # Cones end between two of 720 angles: an error of a fraction of the mass of one of them.
    assert found == pytest.approx(np.array(expected), abs=3e-3)
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-12)


def test_the_loss_is_below_the_guarantee_over_all_data_and_inf_where_it_cannot_be_seen():
    """Releasing theta costs at most 2/noise + ln(1 + 1/penalty); its action no more."""
    signed = records(60)
    added = 2.0 * np.stack([np.cos(np.arange(12)), np.sin(np.arange(12))], axis=1)
    changes = np.vstack([signed, added])
    signs = np.repeat([-1.0, 1.0], [60, 12])
    rival = ObjectivePerturbation(signed, ANGLES, 1.0)
    for noise in (2.0, 10.0, 100.0):
        loss, log_pi = rival.loss(noise, changes, signs)
        assert 0 < loss <= 2 / noise + np.log(2)
        assert np.exp(log_pi).sum() == pytest.approx(1.0)
    assert rival.loss(0.05, changes, signs)[0] == np.inf


def test_a_label_flip_as_a_neighbour_is_the_data_set_with_that_label_flipped():
    """And releasing theta costs exactly the length of the difference over the noise."""
    signed = records(60)
    flipped = signed.copy()
    flipped[7] *= -1
    rival = ObjectivePerturbation(signed, ANGLES, 0.3)
    _, found = rival.log_policies(2.0, signed[7:8], np.zeros(1))
    none = np.zeros((0, 2)), np.zeros(0)
    (expected,) = ObjectivePerturbation(flipped, ANGLES, 0.3).log_policies(2.0, *none)
    assert found == pytest.approx(expected, abs=1e-9)
    assert 0 < rival.loss(2.0, signed[7:8], np.zeros(1))[0] <= np.linalg.norm(signed[7]) / 2.0


@pytest.mark.parametrize("arms", [1, 2, 5, 11])
def test_many_data_sets_at_once_are_each_alone(arms):
    """To the last bit; arms without records among them."""
    generator = np.random.default_rng(arms)
    several = [
        BanditData.from_records(generator.integers(0, arms, 2 * arms), generator.random(2 * arms),
                                arms)
        for _ in range(20)
    ]  # fmt: skip
    fields = ("counts", "sums", "lowest", "highest")
    rows = BanditData(*(np.array([getattr(data, field) for data in several]) for field in fields))
    eta, beta0 = 10 ** generator.uniform(-2, 0.5, (2, 20))
    pure = rivals.exact_losses(rows, eta, beta0)
    for i, data in enumerate(several):
        assert exact_loss(data, eta[i], beta0[i]).pure == pure[i]
    alike = rivals.exact_losses(several[0], eta, 0.5)  # one data set, many configurations
    assert alike.tolist() == [exact_loss(several[0], e, 0.5).pure for e in eta]
