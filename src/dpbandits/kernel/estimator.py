"""mubar and sigmabar^2 of eq. (4) and (5) on the grid, with a certified error.

Z enters through n_Z, its number of points per cell, the rewards through b, their sum per cell. With
G the kernel matrix of all cells and D = diag(n_Z/K), let M = (tau G^-1 + D)^-1, that is
M_vw = phi(v)' Z~^-1 phi(w). Then mubar = M b and sigmabar^2(w) = M_ww. Lemma 9.1 equates a feature
form and a kernel form; the one with the smaller matrix A is computed:

    kernel   M = (G - H' A^-1 H)/tau    A = W G W + tau I,  H = W G,  W = sqrt(D) on the used cells
    feature  M = L A^-1 L'              A = L' D L + tau I,  G = L L' (kernels.Factor)

With D = diag(visits), M b is the posterior mean of eq. (2).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from dpbandits.core.errors import InputError
from dpbandits.kernel.kernels import MOST_PIVOTS, finest_grid, kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_factor, grid_points, setting_of_kernel

MOST_DENSE = 10_404  # cells (102 x 102) with a dense kernel matrix: 0.8 GiB


@lru_cache(maxsize=2)
def _gram(setting: KernelSetting) -> np.ndarray:
    if setting.cells > MOST_DENSE:
        raise InputError(
            f'setting: kernel "{setting.kernel}", lengthscale {setting.lengthscale:g}, grid '
            f"{setting.grid}: {setting.cells} cells; allowed: a grid of at most "
            f"{finest_grid(MOST_DENSE, setting.axes)} per axis, or a longer lengthscale"
        )
    points = grid_points(setting.grid, setting.axes)
    return kernel_matrix(setting, points, points)


class SurrogateCovariance:
    """M for given weights, the diagonal of D; if these are visits, M is that of the posterior.

    With `in_cells` always in the kernel form, whose `matrix` needs NumPy alone.
    """

    def __init__(self, setting: KernelSetting, weights: np.ndarray, in_cells=False):
        self.weights, self.tau = weights, setting.tau
        used = np.flatnonzero(weights)
        sqrt_D = np.sqrt(weights[used])[:, None]
        self.in_features = not in_cells and self._fewer_features(setting, len(used))
        if self.in_features:
            factor = grid_factor(setting)
            self.L, self.missing = factor.rows, factor.missing
            scaled = sqrt_D * self.L[used]
            A, self.H_or_Lt = scaled.T @ scaled, self.L.T
        else:
            self.G, self.missing = _gram(setting_of_kernel(setting)), np.zeros(setting.cells)
            self.H_or_Lt = sqrt_D * self.G[used]
            A = self.H_or_Lt[:, used] * sqrt_D.T
        A[np.diag_indices_from(A)] += self.tau
        self.A = A

    @staticmethod
    def _fewer_features(setting: KernelSetting, used: int) -> bool:
        factor = grid_factor(setting)
        return factor.exact and (setting.cells > MOST_PIVOTS or 2 * factor.rows.shape[1] <= used)

    @cached_property
    def chol_A(self) -> np.ndarray:
        from scipy.linalg import cholesky  # here and below: learners do without SciPy

        return cholesky(self.A.T, lower=True, check_finite=False)

    def mean(self, sums: np.ndarray) -> np.ndarray:
        """M b."""
        from scipy.linalg import cho_solve

        solution = cho_solve((self.chol_A, True), self.H_or_Lt @ sums, check_finite=False)
        product = self.H_or_Lt.T @ solution
        return product if self.in_features else (self.G @ sums - product) / self.tau

    def variance(self) -> np.ndarray:
        """M_ww."""
        half = self._half()
        squares = np.einsum("ij,ij->j", half, half)
        return squares if self.in_features else (np.diag(self.G) - squares) / self.tau

    def matrix(self) -> np.ndarray:
        product = self.H_or_Lt.T @ np.linalg.solve(self.A, self.H_or_Lt)
        return product if self.in_features else (self.G - product) / self.tau

    def _half(self) -> np.ndarray:
        """chol(A)^-1 H or chol(A)^-1 L': half' half is H' A^-1 H or L A^-1 L'."""
        from scipy.linalg import solve_triangular

        return solve_triangular(self.chol_A, self.H_or_Lt, lower=True, check_finite=False)

    def mean_error(self, sums: np.ndarray, mean: np.ndarray) -> float:
        """Bound on |mean - M b| at every cell.

        With r = G (b - D mean) - tau mean, M b - mean = (I - M D) r/tau. As D M D <= D and
        M_ww <= 1/tau, |(M D r)_w| <= sqrt(r' D r/tau). Where G = L L' + E, |E_vw| is at most
        sqrt(E_vv E_ww).
        """
        left = sums - self.weights * mean
        image = self.L @ (self.L.T @ left) if self.in_features else self.G @ left
        truncated = np.sqrt(self.missing) * (np.sqrt(self.missing) @ np.abs(left))
        residual = np.abs(image - self.tau * mean) + truncated
        spread = np.sqrt(np.sum(self.weights * residual**2) / self.tau)
        return float((residual.max() + spread) / self.tau)

    def variance_error(self, variance: np.ndarray) -> float:
        """Bound on |M_ww - variance|, without rounding errors: 0 in the kernel form.

        M^ is M with L L' for G, E = G - L L'. M is operator monotone and concave in G, so
        0 <= M - M^ <= R E R'/tau, R = I - M^ D. The diagonal of R E R' at w is at most the square
        of sqrt(E_ww) + sum_v M^_wv D_v sqrt(E_vv), and by Cauchy-Schwarz the sum is at most
        sqrt(M^_ww sum_v D_v E_vv), because M^ D M^ <= M^.
        """
        outside = np.sqrt(variance * (self.weights @ self.missing))
        return float(((np.sqrt(self.missing) + outside) ** 2).max() / self.tau)


@dataclass(frozen=True)
class Estimate:
    """mubar on all cells and sup sigmabar^2; `error` bounds how far both are from eq. (4), (5)."""

    mean: np.ndarray  # (cells,)
    largest_variance: float
    error: float
    largest_range: float = np.nan  # max over c, v of [max_x - min_x] M((x, c), v)
    middle: np.ndarray | None = None  # (contexts,): sum over v of b_v [max_x + min_x]/2 of the same


def estimate(
    setting: KernelSetting, cells, rewards, Z: np.ndarray, K: int, with_range=False
) -> Estimate:
    """Eq. (4) and (5) for observed cells and rewards, given Z by its counts per cell."""
    if with_range:
        covariance, matrix, largest, middles = _with_range(setting, Z.tobytes(), K)
        variance = np.diag(matrix)
    else:
        covariance = SurrogateCovariance(setting, Z / K)
        variance = covariance.variance()
    _, sums = tally(len(Z), cells, rewards)
    mean = matrix @ sums if with_range else covariance.mean(sums)
    error = max(covariance.mean_error(sums, mean), covariance.variance_error(variance))
    more = (largest, middles @ sums) if with_range else ()
    return Estimate(mean, float(variance.max()), error, *more)


@lru_cache(maxsize=8)  # an audit draws the same few Z for all its data sets
def _with_range(setting: KernelSetting, Z: bytes, K: int):
    """M, which a mean must be taken with whose noise is calibrated for its range, and what Estimate
    says of that: by another way of computing it, a record moves the scores by rounding, too."""
    covariance = SurrogateCovariance(setting, np.frombuffer(Z) / K, in_cells=True)
    matrix = covariance.matrix()
    by_action = matrix.reshape(-1, setting.contexts, len(matrix))
    high, low = by_action.max(axis=0), by_action.min(axis=0)
    return covariance, matrix, float((high - low).max()), (high + low) / 2


def posterior_mean(setting: KernelSetting, cells, rewards) -> np.ndarray:
    """mu_T of eq. (2) on all cells."""
    counts, sums = tally(setting.cells, cells, rewards)
    return SurrogateCovariance(setting, counts).mean(sums)


def tally(size: int, cells: np.ndarray, rewards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Visits and sums of rewards per cell."""
    counts = np.bincount(cells, minlength=size).astype(float)
    return counts, np.bincount(cells, weights=rewards, minlength=size)
