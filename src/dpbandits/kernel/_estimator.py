"""mubar and sigmabar^2, eq. (4) and (5), on the grid, in finite features.

Z enters through the number of its points per cell. With weights n_Z / K, feature rows L and
C = tau I + L' diag(weights) L, Lemma 3.1's other side reads mubar = L C^-1 L' b and
sigmabar^2(w) = L_w C^-1 L_w', where b holds the sums of the rewards per cell.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from dpbandits.kernel._information import fresh_multiple, setting_of_kernel
from dpbandits.kernel.kernels import MOST_PIVOTS, Factor, factor_of, factor_through
from dpbandits.kernel.problem import KernelSetting, Problem, grid_points


@dataclass(frozen=True)
class Estimate:
    """One run's mubar and sigmabar^2 on all cells, with its certificate.

    `error` bounds, uniformly, |sigmabar^2 - its value for the exact kernel|, and times the sum of
    |y_t| the same for mubar. The scale of the noise uses the same features as mubar: the privacy
    does not rest on the certificate.
    """

    mean: np.ndarray  # (cells,)
    variance: np.ndarray  # (cells,)
    error: float


def grid_factor(setting: KernelSetting) -> Factor:
    return _grid_factor(setting_of_kernel(setting))


@lru_cache(maxsize=4)
def _grid_factor(setting: KernelSetting) -> Factor:
    return factor_of(setting, grid_points(setting.grid, setting.axes))


def weighted_inverse(rows: np.ndarray, weights: np.ndarray, tau: float):
    """V with V'V = L C^-1 L' on all cells, and the diagonal of that."""
    half = solve_triangular(
        covariance_root(rows, weights, tau), rows.T, lower=True, check_finite=False
    )
    return half, np.einsum("ij,ij->j", half, half)


def covariance_root(rows: np.ndarray, weights: np.ndarray, tau: float) -> np.ndarray:
    """Lower Cholesky factor of C = tau I + L' diag(weights) L."""
    used = np.flatnonzero(weights)
    scaled = rows[used] * np.sqrt(weights[used])[:, None]
    covariance = scaled.T @ scaled
    covariance[np.diag_indices_from(covariance)] += tau
    return cholesky(covariance, lower=True, overwrite_a=True, check_finite=False)


def posterior_mean(rows: np.ndarray, counts, sums, tau: float) -> np.ndarray:
    """mu_T of eq. (2) on all cells, from the number of visits and the sum of rewards per cell."""
    root = covariance_root(rows, counts, tau)
    weights = solve_triangular(root, rows.T @ sums, lower=True, check_finite=False)
    return rows @ solve_triangular(root, weights, lower=True, trans=1, check_finite=False)


def tally(size: int, cells: np.ndarray, rewards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Visits and sums of rewards per cell."""
    counts = np.bincount(cells, minlength=size).astype(float)
    return counts, np.bincount(cells, weights=rewards, minlength=size)


def draw_fresh(problem: Problem, rng: np.random.Generator, horizon: int) -> tuple[np.ndarray, int]:
    """The TK points of Z as counts per cell (multinomial: exactly the law of i.i.d. points)."""
    multiple = fresh_multiple(problem.setting, horizon)
    return rng.multinomial(horizon * multiple, problem.cell_law).astype(float), multiple


def estimate(setting: KernelSetting, cells, rewards, fresh: np.ndarray, multiple: int) -> Estimate:
    """mubar and sigmabar^2 for observed cells and rewards, given the counts of Z.

    Which path is taken depends on T and Z only: a choice that looked at the contexts would leak.
    """
    counts, sums = tally(len(fresh), cells, rewards)
    factor = grid_factor(setting)
    few = len(cells) + np.count_nonzero(fresh) <= MOST_PIVOTS
    if few and not factor.exact:
        pivots = np.flatnonzero(counts + fresh)
        factor = factor_through(setting, grid_points(setting.grid, setting.axes), pivots)
    half, variance = weighted_inverse(factor.rows, fresh / multiple, setting.tau)
    mean = half.T @ (half @ sums)
    if few or factor.exact:
        # what is missed at w is orthogonal to all of Z: there C is tau I, up to rounding
        return Estimate(mean, variance + factor.missing / setting.tau, 0.0)
    return Estimate(
        mean, variance, certificate(factor.missing, fresh / multiple, variance, setting.tau)
    )


def certificate(
    missing: np.ndarray, weights: np.ndarray, variance: np.ndarray, tau: float
) -> float:
    """Bound on M - M^ where M(G) = (tau G^-1 + D)^-1, D = diag(n_Z/K), and G^ = G - E is used.

    M is operator monotone and concave in G, so 0 <= M - M^ <= R E R'/tau, R = I - M^ D. As E is
    positive semidefinite, the diagonal of R E R' at w is at most the square of
    sqrt(E_ww) + sum_v M^_wv D_v sqrt(E_vv), and by Cauchy-Schwarz the sum is at most
    sqrt(M^_ww sum_v D_v E_vv), because M^ D M^ <= M^. Off the diagonal the largest of these bounds
    holds again, the difference being positive semidefinite.
    """
    outside = np.sqrt(variance * (weights @ missing))
    return float(((np.sqrt(missing) + outside) ** 2).max() / tau)
