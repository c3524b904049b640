"""Grids too fine for exact features: refinement and the merged kernel form, against dense ones."""

import numpy as np
import pytest
from kernel_dense import dense_estimate, merged_operator

from dpbandits.kernel.engine import estimator, near, refined
from dpbandits.kernel.engine.direct import Direct
from dpbandits.kernel.engine.refined import Refined
from dpbandits.kernel.engine.toeplitz import kernel_product
from dpbandits.kernel.kernels import factor_of, kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of

KERNELS = ("se", "matern32", "matern52")


def drawn(setting, horizon, seed=0):
    """Weights of Z and sums of rewards of one run, 40 fresh points for each round: how many the
    information gain asks for, at more cost than all the rest, matters to no formula here."""
    problem, rng = problem_of(setting), np.random.default_rng(seed)
    sums = estimator.tally(setting.cells, *problem.observe(rng, horizon))[1]
    return rng.multinomial(40 * horizon, problem.cell_law) / 40, sums


def poor_factor(monkeypatch, setting, most=36):
    factor = factor_of(setting, grid_points(setting.grid, setting.axes), most)
    monkeypatch.setattr(refined, "grid_factor", lambda _: factor)


@pytest.mark.parametrize("kernel", [*KERNELS, "cosine"])
@pytest.mark.parametrize(("dim", "context_dim", "grid"), [(1, 1, 24), (2, 1, 9), (2, 2, 5)])
def test_products_with_the_kernel_are_exact(kernel, dim, context_dim, grid):
    setting = KernelSetting(kernel=kernel, dim=dim, context_dim=context_dim, grid=grid)
    points = grid_points(grid, setting.axes)
    x = np.random.default_rng(0).normal(size=(3, len(points)))
    dense = x @ kernel_matrix(setting, points, points)
    assert np.abs(kernel_product(setting)(x) - dense).max() < 1e-11


@pytest.mark.parametrize("extra", [{"grid": 12, "tau": 0.3}, {"grid": 37}])
def test_merging_equal_points_changes_nothing(extra):
    """The reference for fine grids, and `estimate`, against the printed TK x TK formula."""
    setting = KernelSetting(kernel="matern32", **extra)
    problem, rng = problem_of(setting), np.random.default_rng(0)
    cells, rewards = problem.observe(rng, 320)
    fresh, multiple = estimator.draw_fresh(problem, rng, 320)
    each = np.repeat(np.arange(setting.cells), fresh.astype(int))
    mean, variance = dense_estimate(setting, cells, rewards, each, multiple)
    operator = merged_operator(setting, fresh / multiple)
    sums = estimator.tally(setting.cells, cells, rewards)[1]
    assert np.abs(operator @ sums - mean).max() < 1e-10
    assert np.abs(np.diag(operator) - variance).max() < 1e-12
    found = estimator.estimate(setting, cells, rewards, fresh, multiple)
    assert np.abs(found.mean - mean).max() < 1e-10
    assert found.largest_variance == pytest.approx(variance.max(), rel=1e-10)
    assert found.error < 1e-10
    fine = isinstance(estimator.operator_of(setting, fresh / multiple), Refined)
    assert fine == (setting.grid == 37)


# More than the 1100 pivots of a complete factor, and two blocks of 1024 for the dense form
FINE = [({}, 2048), ({"tau": 0.02, "context_law": "beta"}, 16384), ({"lengthscale": 0.06}, 1024),
        ({"dim": 2, "grid": 11}, 4096)]  # fmt: skip


@pytest.mark.parametrize(
    ("kernel", "extra", "horizon"),
    [(kernel, *FINE[0]) for kernel in KERNELS]
    + [(kernel, *fine) for kernel, fine in zip(KERNELS, FINE[1:], strict=True)],
)
def test_fine_grids_equal_the_dense_formula(kernel, extra, horizon):
    """mubar on all cells, sup sigmabar^2, and sigmabar^2 at some cells; then the merged form."""
    setting = KernelSetting(kernel=kernel, **({"grid": 35} | extra))
    weights, sums = drawn(setting, horizon)
    dense = merged_operator(setting, weights)
    mean, variance = dense @ sums, np.diag(dense)
    some = np.random.default_rng(1).choice(setting.cells, 8, replace=False)
    for found in (Refined(setting, weights), Direct(setting, weights)):
        assert np.abs(found.mean(sums) - mean).max() < 1e-8 * np.abs(mean).max()
        largest, error = found.largest_variance()
        assert abs(largest - variance.max()) < 1e-8 * variance.max()
        assert error < 1e-8 * variance.max()
    values, errors = Refined(setting, weights).variances(some)
    assert np.abs(values - variance[some]).max() < 1e-8 * variance.max()
    assert np.abs(Direct(setting, weights).variances(some) - variance[some]).max() < 1e-11
    assert errors.max() < 1e-8 * variance.max()


def test_a_grid_of_thousands_of_cells_equals_the_dense_formula():
    """48 x 48 cells, all occupied, more than `CELLS` (at the default 101 x 101 the dense side takes
    11 CPU seconds): the variances of the 24 cells of the highest bounds and of 40 others.
    """
    setting = KernelSetting(kernel="matern32", grid=48)
    weights, sums = drawn(setting, 2**12)
    fast, dense = Refined(setting, weights), Direct(setting, weights)
    mean = dense.mean(sums)
    assert np.abs(fast.mean(sums) - mean).max() < 1e-8 * np.abs(mean).max()
    bound = fast.upper_variances()
    order = np.argsort(-bound)
    cells = np.append(order[:24], np.random.default_rng(0).choice(order[24:], 40, replace=False))
    variance = dense.variances(cells)
    largest, error = fast.largest_variance()
    assert bound[order[24]] < variance.max()  # hence the supremum is among the 24
    assert abs(largest - variance.max()) < 1e-8 * variance.max()
    assert error < 1e-10
    assert (variance <= bound[cells] + 1e-12).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_poor_factor_costs_steps_not_accuracy(kernel, monkeypatch):
    """With 36 pivots the factor is far off, its bounds are bounds, and the answer is the same."""
    setting = KernelSetting(kernel=kernel, grid=35)
    weights, sums = drawn(setting, 1500)
    dense = merged_operator(setting, weights)
    poor_factor(monkeypatch, setting)
    found = Refined(setting, weights)
    upper, variance = found.upper_variances(), np.diag(dense)
    assert (upper - variance).max() > 1e-6
    assert (upper >= variance - 1e-12).all()
    assert np.abs(found.mean(sums) - dense @ sums).max() < 1e-9
    assert abs(found.largest_variance()[0] - variance.max()) < 1e-9


@pytest.mark.parametrize("dense_allowed", [True, False])
def test_when_the_bounds_do_not_settle_the_supremum(dense_allowed, monkeypatch):
    """Either the dense formula does, or a bound from above is returned with its error."""
    setting = KernelSetting(kernel="matern32", grid=35, lengthscale=0.03)
    weights, _ = drawn(setting, 1500)
    exact = np.diag(merged_operator(setting, weights)).max()
    poor_factor(monkeypatch, setting)
    if not dense_allowed:
        monkeypatch.setattr(refined, "MOST_DENSE", 0)
    largest, error = Refined(setting, weights).largest_variance()
    if dense_allowed:
        assert largest == pytest.approx(exact, rel=1e-10)
        assert error == 0.0
    else:
        assert error > 1e-3
        assert largest - error - 1e-12 <= exact <= largest


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0])
@pytest.mark.parametrize("kernel", [*KERNELS, "cosine"])
def test_the_certificate_of_the_mean_sees_every_error(kernel, size):
    """Errors of every shape: noise, one cell, a constant; the bound is never below the error."""
    setting = KernelSetting(kernel=kernel, grid=20, tau=0.5)
    weights, sums = drawn(setting, 800)
    exact = merged_operator(setting, weights) @ sums
    rng = np.random.default_rng(0)
    shapes = np.array([np.zeros(400), rng.normal(size=400), np.eye(400)[7], np.ones(400)])
    bounds = near.mean_errors(setting, *np.array([[weights, sums]] * 4).transpose(1, 0, 2),
                              exact + size * shapes)  # fmt: skip
    assert bounds[0] < 1e-11
    assert (size * np.abs(shapes).max(axis=1) * (1 - 1e-6) <= bounds).all()


def test_cells_that_cannot_hold_the_supremum_are_left_early():
    """Below `unless` the values are rough, but still from above and below it: nothing is lost."""
    setting = KernelSetting(kernel="matern32", dim=2, context_dim=2, grid=6)
    weights, _ = drawn(setting, 3000)
    found, exact = Refined(setting, weights), np.diag(merged_operator(setting, weights))
    cells = np.argsort(exact)[:8]
    rough, _ = found.variances(cells, unless=exact.max())
    assert (rough >= exact[cells] - 1e-12).all()
    assert (rough < exact.max()).all()
    assert np.abs(rough - exact[cells]).max() > 1e-9
    assert found.largest_variance()[0] == pytest.approx(exact.max(), rel=1e-9)
