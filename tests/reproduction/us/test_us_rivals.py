"""What USCA is compared with, and gamma_T with its maximum."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from kernel_dense import dense_posterior

from dpbandits.kernel import information
from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of
from dpbandits.reproduction.us.algorithms import gp_ucb
from dpbandits.reproduction.us.algorithms.private_gp_ucb import (
    GpLearner,
    fourier_rows,
    gaussian_mu,
    nodes_needed,
)
from dpbandits.reproduction.us.gain_bounds import gain_bounds


def test_bounds_of_the_gain_enclose_the_maximum():
    """All multisets of 3 out of 9 cells: greedy is within 1 - 1/e, the upper bound is above."""
    setting = KernelSetting(grid=3, lengthscale=0.6)
    points = grid_points(3, 2)
    best = 0.0
    for multiset in combinations_with_replacement(range(9), 3):
        gram = kernel_matrix(setting, points[list(multiset)], points[list(multiset)])
        best = max(best, 0.5 * np.linalg.slogdet(np.eye(3) + gram / setting.tau)[1])
    low, high = gain_bounds(setting, 3)
    assert (1 - np.exp(-1)) * best <= low <= best + 1e-12
    assert best <= high + 1e-12


@pytest.mark.parametrize(
    "extra", [{"grid": 10}, {"grid": 26, "kernel": "se", "tau": 0.1}, {"dim": 2, "grid": 6}]
)
def test_gp_ucb_posterior_equals_the_dense_formula(extra):
    """With cells that are visited again; computed in the cells, and in features."""

    class Recorded(information.SequentialPosterior):
        def observe(self, cell):
            visited.append(cell)
            return super().observe(cell)

    setting, visited = KernelSetting(**({"kernel": "matern32", "noise": 0.0} | extra)), []
    problem, posterior = problem_of(setting), Recorded(setting)
    mean = gp_ucb.learn(problem, posterior, np.random.default_rng(1), 300)
    cells = np.array(visited)
    dense, variance = dense_posterior(setting, cells, problem.values.reshape(-1)[cells])
    assert np.abs(mean - dense).max() < 1e-9
    assert np.abs(posterior.variance - variance).max() < 1e-9
    assert len(np.unique(cells)) < len(cells)


@pytest.mark.parametrize(("axes", "lengthscale"), [(2, 0.2), (3, 0.5), (4, 0.9)])
def test_kernel_of_fourier_features_is_within_its_tolerance(axes, lengthscale):
    setting = KernelSetting(dim=axes // 2, context_dim=(axes + 1) // 2, lengthscale=lengthscale)
    points = np.random.default_rng(0).random((300, axes))
    rows = fourier_rows(points, lengthscale, nodes_needed(setting))
    assert np.abs(rows @ rows.T - kernel_matrix(setting, points, points)).max() < 0.05
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.01), (1.0, 0.01), (5.0, 1e-4), (50.0, 0.3)])
def test_gaussian_mu_by_numerical_integration(epsilon, delta):
    """The hockey-stick divergence of N(mu, 1) from N(0, 1) is delta."""
    mu, x = gaussian_mu(epsilon, delta), np.linspace(-40, 60, 2_000_001)
    p, q = (np.exp(-((x - m) ** 2) / 2) / np.sqrt(2 * np.pi) for m in (mu, 0.0))
    integral = np.maximum(p - np.exp(epsilon) * q, 0).sum() * (x[1] - x[0])
    assert integral == pytest.approx(delta, rel=1e-3)


def test_private_gp_ucb_spends_mu_on_the_executed_tree():
    """The largest distance of two records, in units of the noise of a node, times the root of the
    number of nodes with the same round, is mu."""
    nodes = set()

    class Recorded(GpLearner):
        def node(self, name):
            nodes.add(name)
            return super().node(name)

    problem, rounds, mu = problem_of(KernelSetting(grid=9, lengthscale=0.4)), 64, 0.7
    learner = Recorded(problem, np.ones((81, 2)), mu, rounds, np.random.default_rng(3))
    for t in range(1, rounds + 1):  # every prefix, not only those that are released
        learner.tree_noise(t)
    inside = [sum(end - 2**k < t <= end for end, k in nodes) for t in range(1, rounds + 1)]
    draws = np.array([learner.node((i, 0)) for i in range(20_000)])
    assert (draws == draws.transpose(0, 2, 1)).all()
    deviation = draws.std(axis=0)
    assert np.abs(np.diag(deviation) / deviation[0, 1] - np.sqrt(2)).max() < 0.03
    assert deviation[0, 1] == pytest.approx(learner.linucb.scale, rel=0.03)
    rng, bound, worst = np.random.default_rng(4), problem.setting.bound, 0.0
    upper = np.triu_indices(3)  # a symmetric matrix is its upper triangle
    deviations = learner.linucb.scale * np.where(upper[0] == upper[1], np.sqrt(2), 1.0)
    for _ in range(2000):
        angles, rewards = rng.uniform(0, 2 * np.pi, 2), bound * rng.choice([-1.0, 1.0], 2)
        a, b = np.column_stack([np.cos(angles), np.sin(angles), rewards])
        moved = (np.outer(a, a) - np.outer(b, b))[upper] / deviations
        worst = max(worst, np.sqrt(max(inside)) * np.linalg.norm(moved))
    assert 0.9 * mu < worst <= mu * (1 + 1e-9)
