"""The law of perturbed ridge regression's action, against the plane and against draws."""

import numpy as np
import pytest

from dpbandits.offline.linear.perturbation import PerturbedRidge

ANGLES = np.array([0.1, 1.3, 2.9, 4.6])
ACTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)
KINDS = ("output", "objective")


def data_sets(n=30, sets=3):
    rng = np.random.default_rng(5)
    x = rng.standard_normal((sets, n, 2)) * [1.0, 0.4]
    r = rng.random((sets, n))
    return x.transpose(0, 2, 1) @ x + np.eye(2), np.einsum("snd,sn->sd", x, r)


def by_area(kind, sigma, response, noise):
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
def test_line_integrals_are_the_area(kind, noise):
    sigmas, responses = data_sets()
    found = np.exp(PerturbedRidge(ANGLES, sigmas, responses, kind).log_policies(noise))
    expected = [by_area(kind, *each, noise) for each in zip(sigmas, responses, strict=True)]
    assert found == pytest.approx(np.array(expected), abs=2e-3)
    assert found.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-9)  # TRUSTED


def test_output_noise_loses_at_most_its_shift():
    """e^{-|b|/noise}: moving theta by a distance D costs D/noise at most, and nearly that."""
    sigmas = np.stack([np.eye(2)] * 2)
    responses = np.array([[0.9, 0.0], [-0.9, 0.0]])
    loss, _ = PerturbedRidge(ANGLES, sigmas, responses, "output").loss(0.6)
    assert 0.5 * 3.0 < loss <= 3.0
    assert PerturbedRidge(ANGLES, sigmas, responses, "output").loss(1e-3)[0] == np.inf
