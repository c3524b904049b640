"""US's algorithms: their contracts, distributions and references."""

import numpy as np
import pytest
from kernel_dense import dense_posterior
from scipy.stats import ks_2samp

from dpbandits.kernel import estimator, information
from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of
from dpbandits.kernel.usca import draw_Z
from dpbandits.reproduction.us.algorithms import gp_ucb
from dpbandits.reproduction.us.algorithms.private_gp_ucb import (
    Learner,
    fourier_rows,
    gaussian_mu,
    nodes_needed,
)

SMALL = {"grid": 9, "lengthscale": 0.4}


def test_error_rate_is_the_mean_over_contexts_and_outputs():
    """Against 200,000 draws of (context, action): 5 standard errors, flake rate 6e-7."""
    problem = problem_of(KernelSetting(grid=7, context_law="beta", function_seed=3))
    rng = np.random.default_rng(0)
    output = rng.dirichlet(np.ones(7), size=7).T
    contexts = rng.choice(7, size=200_000, p=problem.context_law)
    cumulative = output.cumsum(axis=0)[:, contexts]
    actions = (rng.random(200_000) > cumulative).sum(axis=0).clip(max=6)
    lost = problem.gaps[actions, contexts]
    error = lost.std() / np.sqrt(len(lost))
    assert abs(lost.mean() - problem.error_rate(output)) < 5 * error


@pytest.mark.parametrize("law", ["uniform", "beta"])
def test_queries_and_noise_follow_their_laws(law):
    """Chi-square of 300,000 cells on 36: threshold at 1e-6 for 35 degrees of freedom is 94.6."""
    problem = problem_of(KernelSetting(grid=6, context_law=law, noise=0.3))
    cells, rewards = problem.observe(np.random.default_rng(4), 300_000)
    expected = problem.cell_law * len(cells)
    counts = np.bincount(cells, minlength=36)
    assert np.sum((counts - expected) ** 2 / expected) < 94.6
    noise = rewards - problem.values.reshape(-1)[cells]
    assert np.abs(noise).max() <= 0.3
    assert noise.var() == pytest.approx(0.03, rel=0.02)  # 9 standard errors
    assert np.abs(rewards).max() <= problem.setting.bound


def test_multinomial_z_has_the_law_of_single_points():
    """sup sigmabar^2 with Z drawn as counts and point by point: Kolmogorov-Smirnov, 400 each.

    Threshold 1.95 sqrt(2/400) has a flake rate of 1e-3 for a random seed; the seed is fixed.
    """
    setting = KernelSetting(grid=8, tau=0.3, lengthscale=0.3, context_law="beta")
    problem, rng = problem_of(setting), np.random.default_rng(9)

    def largest(Z, K):
        return estimator.SurrogateCovariance(setting, Z / K).variance().max()

    by_counts, by_points = [], []
    for _ in range(400):
        Z, K = draw_Z(problem, rng, 20)
        by_counts.append(largest(Z, K))
        cells, _ = problem.observe(rng, 20 * K)
        by_points.append(largest(np.bincount(cells, minlength=64).astype(float), K))
    assert ks_2samp(by_counts, by_points).statistic < 1.95 * np.sqrt(2 / 400)


@pytest.mark.parametrize("kernel", ["se", "matern32", "matern52", "cosine"])
def test_unknown_function_has_its_norm(kernel):
    """|f|^2 = f' G^-1 f on the grid is at most norm^2 and close to it on a fine grid."""
    setting = KernelSetting(kernel=kernel, grid=30, lengthscale=0.3, norm=2.0)
    values = problem_of(setting).values.reshape(-1)
    points = grid_points(30, 2)
    gram = kernel_matrix(setting, points, points) + 1e-9 * np.eye(len(points))
    squared = values @ np.linalg.solve(gram, values)
    assert 0.8 * 4 < squared <= 4 * (1 + 1e-9)
    assert np.abs(values).max() <= 2.0
    again = problem_of(KernelSetting(kernel=kernel, grid=30, lengthscale=0.3, norm=1.0)).values
    assert np.abs(2 * again.reshape(-1) - values).max() < 1e-12


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

    class Recorded(Learner):
        def node(self, name):
            nodes.add(name)
            return super().node(name)

    problem, rounds, mu = problem_of(KernelSetting(**SMALL)), 64, 0.7
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
