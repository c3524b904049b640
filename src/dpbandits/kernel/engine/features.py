"""M = (tau G^-1 + D)^-1 in finite features: Lemma 3.1's other side.

With weights D = diag(n_Z / K), feature rows L (G = L L') and C = tau I + L' D L, eq. (4) and (5)
read mubar = M b = L C^-1 L' b and sigmabar^2(w) = M_ww = L_w C^-1 L_w', where b holds the sums of
the rewards per cell. With D = diag(visits), M b is the posterior mean of eq. (2).
"""

from functools import lru_cache

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from dpbandits.kernel.kernels import Factor, factor_of
from dpbandits.kernel.problem import KernelSetting, grid_points, setting_of_kernel

FIRST = 4  # cells looked at first: mostly those in corners
ROUNDING = 1e-9


def grid_factor(setting: KernelSetting) -> Factor:
    return _grid_factor(setting_of_kernel(setting))


@lru_cache(maxsize=4)
def _grid_factor(setting: KernelSetting) -> Factor:
    return factor_of(setting, grid_points(setting.grid, setting.axes))


class Features:
    """M for a factor that is the kernel itself, up to what it says is missing."""

    def __init__(self, factor: Factor, weights: np.ndarray, tau: float):
        self.factor, self.weights, self.tau = factor, weights, tau
        self.root = covariance_root(factor.rows, weights, tau)

    def mean(self, sums: np.ndarray) -> np.ndarray:
        rows = self.factor.rows
        return rows @ cho_solve((self.root, True), rows.T @ sums, check_finite=False)

    def largest_variance(self) -> tuple[float, float]:
        """sup of M_ww and a bound on its error."""
        _, variance = half_of(self.root, self.factor.rows)
        error = truncation_bound(self.factor.missing, self.weights, variance, self.tau)
        return float(variance.max()), error


def weighted_inverse(rows: np.ndarray, weights: np.ndarray, tau: float):
    """V with V'V = L C^-1 L' on all cells, and the diagonal of that."""
    return half_of(covariance_root(rows, weights, tau), rows)


def half_of(root: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    half = solve_triangular(root, rows.T, lower=True, check_finite=False)
    return half, np.einsum("ij,ij->j", half, half)


def covariance_root(rows: np.ndarray, weights: np.ndarray, tau: float) -> np.ndarray:
    """Lower Cholesky factor of C = tau I + L' diag(weights) L."""
    used = np.flatnonzero(weights)
    scaled = rows[used] * np.sqrt(weights[used])[:, None]
    covariance = scaled.T @ scaled
    covariance[np.diag_indices_from(covariance)] += tau
    return cholesky(covariance, lower=True, overwrite_a=True, check_finite=False)


def truncation_bound(
    missing: np.ndarray, weights: np.ndarray, variance: np.ndarray, tau: float
) -> float:
    """Bound on M - M^ where M^ is built from G^ = G - E, E positive semidefinite.

    M is operator monotone and concave in G, so 0 <= M - M^ <= R E R'/tau, R = I - M^ D. The
    diagonal of R E R' at w is at most the square of sqrt(E_ww) + sum_v M^_wv D_v sqrt(E_vv), and
    by Cauchy-Schwarz the sum is at most sqrt(M^_ww sum_v D_v E_vv), because M^ D M^ <= M^.
    """
    outside = np.sqrt(variance * (weights @ missing))
    return float(((np.sqrt(missing) + outside) ** 2).max() / tau)
