"""The Gaussian process's posterior, one observation at a time, and gamma_T from it.

gamma_T is computed greedily: each pick is the cell of largest posterior variance, among all cells
of the grid or, if these are more than MOST_PIVOTS, among those of a regular sub-grid. The gain is
monotone and submodular, so the result is at least (1 - 1/e) times the maximum over these cells.
"""

from functools import lru_cache

import numpy as np

from dpbandits.kernel.kernels import features, kernel_matrix, spread_cells
from dpbandits.kernel.problem import KernelSetting, grid_factor, grid_points, setting_of_kernel


class SequentialPosterior:
    """Posterior variances of some cells (all by default), updated by each observation.

    Computed in features if these are exact and at most half as many as the cells. `by_numpy`: for
    learners, which do without SciPy and have few cells.
    """

    def __init__(self, setting: KernelSetting, cells=slice(None), by_numpy=False):
        self.tau, points = setting.tau, grid_points(setting.grid, setting.axes)[cells]
        if by_numpy:
            self._add_outer = _add_outer
            self.rows = features(kernel_matrix(setting, points, points))
        else:
            from scipy.linalg import blas

            self._add_outer, factor = blas.dger, grid_factor(setting)
            few = factor.exact and 2 * factor.rows.shape[1] <= len(points)
            self.rows = factor.rows[cells] if few else None
        if self.rows is not None:
            self.covariance = np.eye(self.rows.shape[1], order="F")  # of the weights of features
            self.variance = np.einsum("ij,ij->i", self.rows, self.rows)
        else:
            self.covariance = np.asfortranarray(kernel_matrix(setting, points, points))
            self.variance = np.diag(self.covariance).copy()

    def observe(self, cell: int) -> tuple[np.ndarray, float]:
        """Posterior covariances of all cells with this one, and 1/(tau + its variance)."""
        if self.rows is None:
            column = direction = self.covariance[:, cell].copy()
        else:
            direction = self.covariance @ self.rows[cell]
            column = self.rows @ direction
        scale = 1.0 / (self.tau + column[cell])
        self.covariance = self._add_outer(
            -scale, direction, direction, a=self.covariance, overwrite_a=True
        )
        self.variance -= scale * column * column
        return column, scale


def _add_outer(scale, x, y, a, overwrite_a):
    """BLAS's dger: a + scale x y', where a has Fortran's order."""
    a.T[...] += np.multiply.outer(scale * y, x)
    return a


def information_gain(setting: KernelSetting, horizon: int) -> np.ndarray:
    """The gains after 1, ..., horizon greedy picks; a prefix does not depend on the horizon."""
    return greedy_picks(setting, horizon)[0][:horizon]


def K_of(setting: KernelSetting, horizon: int) -> int:
    """K = ceil(T / gamma_T)."""
    return int(np.ceil(horizon / information_gain(setting, horizon)[-1]))


@lru_cache(maxsize=8)
def K_by_numpy(setting: KernelSetting, horizon: int) -> int:
    """`K_of` for learners, by NumPy alone."""
    return int(np.ceil(horizon / greedy(setting, horizon, by_numpy=True)[0][-1]))


_longest: dict[KernelSetting, tuple[np.ndarray, np.ndarray]] = {}  # the longest run per kernel


def greedy_picks(setting: KernelSetting, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """(cumulative gains, picked cells) of at least `horizon` picks, computed once per process."""
    key = setting_of_kernel(setting)
    if key not in _longest or len(_longest[key][0]) < horizon:
        _longest[key] = greedy(key, 1 << max(6, int(horizon - 1).bit_length()))
    return _longest[key]


def greedy(setting: KernelSetting, horizon: int, by_numpy=False) -> tuple[np.ndarray, np.ndarray]:
    """(cumulative gains, picked cells) of `horizon` greedy picks."""
    candidates = spread_cells(setting.grid, setting.axes)
    posterior = SequentialPosterior(setting, candidates, by_numpy)
    variances, picks = np.empty(horizon), np.empty(horizon, np.int64)
    for t in range(horizon):
        best = int(posterior.variance.argmax())
        variances[t], picks[t] = posterior.variance[best], candidates[best]
        posterior.observe(best)
    return np.cumsum(0.5 * np.log1p(variances / setting.tau)), picks
