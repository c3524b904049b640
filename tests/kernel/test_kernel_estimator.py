"""The estimator's two forms compared with the printed formulas, and gamma_T with its maximum."""

import numpy as np
import pytest
from kernel_dense import dense_estimate, dense_posterior, merged_operator

from dpbandits.kernel import estimator, information
from dpbandits.kernel.estimator import SurrogateCovariance
from dpbandits.kernel.kernels import factor_of, kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of
from dpbandits.kernel.usca import draw_Z

KERNELS = ("se", "matern32", "matern52", "cosine")


def drawn(setting, horizon, seed=0):
    """Weights of Z and sums of rewards of one run."""
    problem, rng = problem_of(setting), np.random.default_rng(seed)
    sums = estimator.tally(setting.cells, *problem.observe(rng, horizon))[1]
    return rng.multinomial(40 * horizon, problem.cell_law) / 40, sums


@pytest.mark.parametrize("kernel", KERNELS)
def test_remainder_of_the_factor_is_within_its_bound(kernel):
    setting = KernelSetting(kernel=kernel, grid=40)
    points = grid_points(40, 2)
    factor = factor_of(setting, points)
    some = np.random.default_rng(0).choice(len(points), 300, replace=False)
    remainder = kernel_matrix(setting, points[some], points[some])
    remainder -= factor.rows[some] @ factor.rows[some].T
    allowed = np.sqrt(np.outer(factor.missing[some], factor.missing[some])) + 1e-12
    assert (np.abs(remainder) <= allowed).all()
    assert factor.exact == (kernel in ("se", "cosine"))


# few and many points, cells that were not drawn, three axes, a fine grid
DENSE_CASES = [({"grid": 9}, 30), ({"grid": 21, "tau": 0.05}, 90), ({"grid": 45}, 48),
               ({"dim": 2, "grid": 8, "context_law": "beta"}, 64), ({"grid": 5}, 120)]  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("extra", "horizon"), DENSE_CASES)
def test_estimate_equals_the_dense_formula(kernel, extra, horizon):
    """Eq. (4) and (5) with their TK x TK matrices, and M's range from the matrix itself."""
    setting = KernelSetting(kernel=kernel, **extra)
    problem, rng = problem_of(setting), np.random.default_rng(horizon)
    cells, rewards = problem.observe(rng, horizon)
    Z, K = draw_Z(problem, rng, horizon)
    assert Z.sum() == horizon * K
    with_range = setting.cells < 600
    estimate = estimator.estimate(setting, cells, rewards, Z, K, with_range)
    points_of_z = np.repeat(np.arange(setting.cells), Z.astype(int))
    mean, variance = dense_estimate(setting, cells, rewards, points_of_z, K)
    assert np.abs(estimate.mean - mean).max() < 1e-8 * max(1.0, np.abs(mean).max())
    assert abs(estimate.largest_variance - variance.max()) < 1e-8 * variance.max()
    assert estimate.error < 1e-9
    if with_range:
        operator = merged_operator(setting, Z / K)
        by_action = operator.reshape(setting.actions, setting.contexts, -1)
        assert estimate.largest_range == pytest.approx(np.ptp(by_action, axis=0).max(), rel=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("rounds", "tau"), [(3, 1.0), (60, 0.01), (16384, 1.0), (500, 30.0)])
def test_both_forms_of_lemma_3_1_on_the_grid(kernel, rounds, tau, monkeypatch):
    """The form that is chosen, and the feature form, compared with a dense solution."""
    setting = KernelSetting(kernel=kernel, grid=13, tau=tau)
    weights, sums = drawn(setting, rounds)
    exact = merged_operator(setting, weights)
    forms = [SurrogateCovariance(setting, weights)]
    monkeypatch.setattr(estimator, "MOST_PIVOTS", 0)
    forms.append(SurrogateCovariance(setting, weights))
    assert forms[1].in_features
    for form in forms:
        scale = np.abs(exact).max()
        assert np.abs(form.matrix() - exact).max() < 1e-9 * scale
        assert np.abs(form.variance() - np.diag(exact)).max() < 1e-9 * scale
        assert np.abs(form.mean(sums) - exact @ sums).max() < 1e-8 * (1 + np.abs(sums).max())


@pytest.mark.parametrize("kernel", ["matern32", "matern52", "se"])
def test_error_of_a_truncated_factor_is_within_its_bound(kernel):
    """With few pivots there is an error, and it is below the reported bound."""
    setting = KernelSetting(kernel=kernel, grid=25)
    weights, sums = drawn(setting, 400, seed=5)
    exact = SurrogateCovariance(setting, weights)
    factor = factor_of(setting, problem_of(setting).points, 49)
    truncated = SurrogateCovariance(setting, weights)
    truncated.in_features, truncated.L, truncated.missing = True, factor.rows, factor.missing
    scaled = np.sqrt(weights)[:, None] * factor.rows
    system = scaled.T @ scaled + np.eye(factor.rows.shape[1])
    truncated.chol_A, truncated.H_or_Lt = np.linalg.cholesky(system), factor.rows.T
    variance = truncated.variance()
    error = np.abs(variance - exact.variance()).max()
    assert 1e-6 < error <= truncated.variance_error(variance)
    assert (variance <= exact.variance() + 1e-10).all()  # truncation only ever lowers it
    mean = truncated.mean(sums)
    assert np.abs(mean - exact.mean(sums)).max() <= truncated.mean_error(sums, mean)
    assert not factor.exact


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_mean_error_is_above_every_error(kernel, size):
    """No error, noise, an error at one cell, and a constant one."""
    setting = KernelSetting(kernel=kernel, grid=20, tau=0.5)
    weights, sums = drawn(setting, 800)
    exact = merged_operator(setting, weights) @ sums
    rng, covariance = np.random.default_rng(0), SurrogateCovariance(setting, weights)
    assert covariance.mean_error(sums, exact) < 1e-9
    for shape in (rng.normal(size=400), np.eye(400)[7], np.ones(400)):
        bound = covariance.mean_error(sums, exact + size * shape)
        assert size * np.abs(shape).max() * (1 - 1e-6) <= bound


@pytest.mark.parametrize("kernel", KERNELS)
def test_posterior_mean_equals_the_dense_formula(kernel):
    setting = KernelSetting(kernel=kernel, grid=20, tau=0.3)
    cells, rewards = problem_of(setting).observe(np.random.default_rng(2), 150)
    dense_mean, dense_variance = dense_posterior(setting, cells, rewards)
    assert np.abs(estimator.posterior_mean(setting, cells, rewards) - dense_mean).max() < 1e-8
    counts, _ = estimator.tally(setting.cells, cells, rewards)
    variance = setting.tau * SurrogateCovariance(setting, counts).variance()
    assert np.abs(variance - dense_variance).max() < 1e-8


@pytest.mark.parametrize("kernel", KERNELS)
def test_each_pick_has_the_largest_posterior_variance(kernel):
    setting = KernelSetting(kernel=kernel, grid=13, tau=0.4)
    gains, picks = information.greedy_picks(setting, 300)
    points = problem_of(setting).points
    covariance = kernel_matrix(setting, points, points)
    for pick in picks[:300]:
        assert covariance[pick, pick] >= np.diag(covariance).max() * (1 - 1e-9)
        column = covariance[pick] / np.sqrt(setting.tau + covariance[pick, pick])
        covariance -= np.outer(column, column)
    gram = kernel_matrix(setting, points[picks[:300]], points[picks[:300]])
    exact = 0.5 * np.linalg.slogdet(np.eye(300) + gram / setting.tau)[1]
    assert gains[299] == pytest.approx(exact, rel=1e-9)
