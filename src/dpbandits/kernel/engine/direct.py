"""M = (tau G^-1 + D)^-1 by Lemma 3.1's kernel form, with equal points of Z merged into cells.

With W = sqrt(D) on the occupied cells alone, tau M = G - G W (W G W + tau I)^-1 W G: dense, but of
the size of the occupied cells.
"""

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from dpbandits.kernel.engine.toeplitz import kernel_product
from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points

MOST_DENSE = 10_404  # occupied cells: a matrix of 0.81 GiB
BLOCK = 1024  # cells handled at a time, to spare memory


class Direct:
    def __init__(self, setting: KernelSetting, weights: np.ndarray):
        self.setting, self.tau = setting, setting.tau
        self.points = grid_points(setting.grid, setting.axes)
        self.used = np.flatnonzero(weights)
        self.scale = np.sqrt(weights[self.used])
        system = np.empty((len(self.used), len(self.used)), order="F")
        for start in range(0, len(self.used), BLOCK):
            system[:, start : start + BLOCK] = self._across(self.used[start : start + BLOCK])
            system[:, start : start + BLOCK] *= self.scale[start : start + BLOCK]
        system[np.diag_indices_from(system)] += self.tau
        self.root = cholesky(system, lower=True, overwrite_a=True, check_finite=False)

    def _across(self, cells: np.ndarray) -> np.ndarray:
        """W G between the occupied cells and some others."""
        across = kernel_matrix(self.setting, self.points[self.used], self.points[cells])
        across *= self.scale[:, None]
        return across

    def mean(self, sums: np.ndarray) -> np.ndarray:
        product = kernel_product(self.setting)
        target = product(sums[None])[0]
        weighted = np.zeros_like(target)
        weighted[self.used] = self.scale * cho_solve(
            (self.root, True), self.scale * target[self.used], check_finite=False
        )
        return (target - product(weighted[None])[0]) / self.tau

    def variances(self, cells: np.ndarray) -> np.ndarray:
        half = solve_triangular(
            self.root, self._across(cells), lower=True, overwrite_b=True, check_finite=False
        )
        return (1.0 - np.einsum("ij,ij->j", half, half)) / self.tau

    def largest_variance(self) -> tuple[float, float]:
        """sup of M_ww; no error but rounding."""
        blocks = [np.arange(start, min(start + BLOCK, len(self.points)))
                  for start in range(0, len(self.points), BLOCK)]  # fmt: skip
        return float(max(self.variances(cells).max() for cells in blocks)), 0.0
