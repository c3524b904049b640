"""US's algorithms: their contracts, distributions and references."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from dpbandits.kernel import estimator
from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of
from dpbandits.kernel.usca import draw_Z


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
    assert ks_2samp(by_counts, by_points, method="asymp").statistic < 1.95 * np.sqrt(2 / 400)


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
