"""The refinement on fine grids, step by step on 36 cells against dense matrices: with a factor of 9
pivots, which is far off, and blocks of a few cells. Exact up to rounding: nothing flakes."""

import numpy as np
import pytest
from kernel_dense import merged_operator

from dpbandits.kernel.engine import counterexamples, refined
from dpbandits.kernel.engine.direct import Direct
from dpbandits.kernel.engine.refined import Refined
from dpbandits.kernel.kernels import factor_of, kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points

SETTING = KernelSetting(kernel="matern32", grid=6, tau=0.3, lengthscale=0.3)
POINTS = grid_points(6, 2)
GRAM = kernel_matrix(SETTING, POINTS, POINTS)
WEIGHTS = np.random.default_rng(0).poisson(1.0, 36) / 2.0
W = np.sqrt(WEIGHTS)
SYSTEM = W[:, None] * GRAM * W + 0.3 * np.eye(36)
SUMS = np.random.default_rng(1).standard_normal(36)


@pytest.fixture
def found(monkeypatch):
    factor = factor_of(SETTING, POINTS, 9)
    assert factor.missing.max() > 0.1
    monkeypatch.setattr(refined, "grid_factor", lambda _: factor)
    for name, size in (("CELLS", 10), ("ROWS", 4), ("BATCH", 3)):
        monkeypatch.setattr(refined, name, size)
    return Refined(SETTING, WEIGHTS)


def test_the_system_and_its_preconditioner(found):
    x = np.random.default_rng(2).standard_normal((2, 36))
    np.testing.assert_allclose(found._system(x), x @ SYSTEM, atol=1e-12)
    near = W[:, None] * (found.rows @ found.rows.T) * W + 0.3 * np.eye(36)
    np.testing.assert_allclose(found._preconditioned(x), np.linalg.solve(near, x.T).T, atol=1e-12)


def test_solves_to_the_end_or_until_it_is_enough(found):
    c = np.random.default_rng(3).standard_normal((2, 36))
    exact = np.linalg.solve(SYSTEM, c.T).T
    solved = found._solve(c)
    residual = np.linalg.norm(c - solved @ SYSTEM, axis=1)
    assert (residual <= 1.01e-9 * np.linalg.norm(c, axis=1)).all()
    np.testing.assert_allclose(found._solve(c, enough=-np.inf), found._preconditioned(c))
    most = (c * exact).sum(axis=1)  # of 2 c'z - z'A z
    early = found._solve(c, enough=0.99 * most.min())
    reached = 2 * (c * early).sum(axis=1) - ((early @ SYSTEM) * early).sum(axis=1)
    assert (reached > 0.99 * most.min()).all()
    assert np.abs(early - exact).max() > 1e-7


def test_means_are_exact_after_any_solve(found, monkeypatch):
    """One refinement multiplies the error by what the solve misses; nothing else enters."""
    exact = merged_operator(SETTING, WEIGHTS) @ SUMS
    np.testing.assert_allclose(found.mean(SUMS), exact, atol=1e-11)
    monkeypatch.setattr(refined, "REFINEMENTS", 1)
    np.testing.assert_allclose(found.mean(SUMS), exact, atol=1e-7)


def test_variances_from_above_for_any_solution(found, monkeypatch):
    """tau M_ww <= G_ww - (2 c'z - z'A z), off by |c - A z|^2/tau at most."""
    cells, asked = np.array([7, 20]), []
    c = (W[:, None] * GRAM[:, cells]).T
    z = np.linalg.solve(SYSTEM, c.T).T + 0.01 * np.random.default_rng(4).standard_normal((2, 36))
    monkeypatch.setattr(found, "_solve", lambda target, enough: asked.append((target, enough)) or z)
    values, errors = found.variances(cells, unless=2.0)
    np.testing.assert_allclose(asked[0][0], c, atol=1e-12)
    assert asked[0][1] == pytest.approx(1 - 0.3 * 2.0)
    explained = 2 * (c * z).sum(axis=1) - ((z @ SYSTEM) * z).sum(axis=1)
    np.testing.assert_allclose(values, (1 - explained) / 0.3)
    np.testing.assert_allclose(errors, ((c - z @ SYSTEM) ** 2).sum(axis=1) / 0.09)
    exact = np.diag(merged_operator(SETTING, WEIGHTS))[cells]
    assert (exact <= values).all()
    assert (values <= exact + errors).all()


def test_upper_variances_by_their_definition(found):
    """Mean square errors (I - M^ D) G (I - M^ D)' + tau M^ D M^, over tau; blocks of 10 and 4."""
    rows = found.rows
    inner = 0.3 * np.eye(rows.shape[1]) + (rows.T * WEIGHTS) @ rows
    m = rows @ np.linalg.solve(inner, rows.T)
    left = np.eye(36) - m * WEIGHTS
    error = left @ GRAM @ left.T + 0.3 * (m * WEIGHTS) @ m
    np.testing.assert_allclose(found.upper_variances(), np.diag(error) / 0.3, atol=1e-12)


@pytest.mark.parametrize(("bound", "dense", "expected"), [
    ([5.0, 9.0, 7.0, 3.0], False, (6.0, 0.2)),
    ([6.5, 9.0, 7.0, 3.0], False, (6.5, 0.7)),  # a third cell might be higher by a half
    ([3.0, 9.0, 3.9, 3.5], False, (4.0, 0.1)),  # no other can be
    ([5.0, 9.0, 7.0, 3.0], True, (8.0, 0.0)),
])  # fmt: skip
def test_the_best_cells_first(found, bound, dense, expected, monkeypatch):
    known = {1: (4.0, 0.1), 2: (6.0, 0.2)}
    monkeypatch.setattr(refined, "BATCH", 1)
    monkeypatch.setattr(refined, "MOST_SOLVES", 2)
    monkeypatch.setattr(refined, "MOST_DENSE", 36 * dense)
    monkeypatch.setattr(Direct, "largest_variance", lambda self: (8.0, 0.0))
    monkeypatch.setattr(found, "upper_variances", lambda: np.array(bound))

    def variances(cells, unless):
        assert unless == (4.0 if cells[0] == 2 else 0.0)
        return tuple(np.array([x]) for x in known[int(cells[0])])

    monkeypatch.setattr(found, "variances", variances)
    assert found.largest_variance() == pytest.approx(expected)


def test_direct_in_blocks(monkeypatch):
    monkeypatch.setattr("dpbandits.kernel.engine.direct.BLOCK", 7)
    direct, exact = Direct(SETTING, WEIGHTS), merged_operator(SETTING, WEIGHTS)
    np.testing.assert_allclose(direct.mean(SUMS), exact @ SUMS, atol=1e-11)
    np.testing.assert_allclose(direct.variances(np.arange(36)), np.diag(exact), atol=1e-12)
    assert direct.largest_variance() == (pytest.approx(np.diag(exact).max()), 0.0)


def test_sizes_of_the_closed_forms():
    """K = ceil(8/ln 2) = 12; the least count is 12 (8/(1 + bound) - 4) = 22.6; K of the hub 98."""
    atoms, hub = counterexamples.atom_spectrum(), counterexamples.hub_norm()
    assert (atoms["K"], atoms["count"], atoms["T"]) == (12, 22, 4 * 10**6)
    assert (hub["K"], hub["T"]) == (98, 40_000)
