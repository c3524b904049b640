"""M = (tau G^-1 + D)^-1 from the cells' own kernel matrix G, formed once: for kernels that need
about as many features as there are cells.

With W = sqrt(D) on the occupied cells and B = W G W + tau I, tau M = G - G W B^-1 W G; hence
M W = G W B^-1, and between occupied cells M = W^-1 (I - tau B^-1) W^-1.
"""

from functools import lru_cache

import numpy as np
from scipy.linalg import cho_solve, cholesky, lapack, solve_triangular

from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, setting_of_kernel


@lru_cache(maxsize=4)
def _gram(setting: KernelSetting) -> np.ndarray:
    points = grid_points(setting.grid, setting.axes)
    return kernel_matrix(setting, points, points)


class Cells:
    def __init__(self, setting: KernelSetting, weights: np.ndarray):
        self.gram, self.tau = _gram(setting_of_kernel(setting)), setting.tau
        self.used, self.unused = np.flatnonzero(weights), np.flatnonzero(weights == 0)
        self.scale = np.sqrt(weights[self.used])
        gram = self.gram if not len(self.unused) else self.gram[np.ix_(self.used, self.used)]
        system = gram * self.scale
        system *= self.scale[:, None]
        system[np.diag_indices_from(system)] += self.tau
        # its transpose is itself, and lies in memory as LAPACK wants it
        self.root = cholesky(system.T, lower=True, overwrite_a=True, check_finite=False)

    def mean(self, sums: np.ndarray) -> np.ndarray:
        target = self.gram @ sums
        weighted = np.zeros_like(target)
        weighted[self.used] = self.scale * cho_solve(
            (self.root, True), self.scale * target[self.used], check_finite=False
        )
        return (target - self.gram @ weighted) / self.tau

    def largest_variance(self) -> tuple[float, float]:
        """sup of M_ww; no error but rounding."""
        inverse = lapack.dtrtri(self.root, lower=1)[0]
        occupied = (1.0 - self.tau * np.einsum("ij,ij->j", inverse, inverse)) / self.scale**2
        if not len(self.unused):
            return float(occupied.max()), 0.0
        across = self.gram[np.ix_(self.used, self.unused)] * self.scale[:, None]
        half = solve_triangular(self.root, across, lower=True, overwrite_b=True, check_finite=False)
        empty = self.gram[self.unused, self.unused] - np.einsum("ij,ij->j", half, half)
        return float(max(occupied.max(), empty.max() / self.tau)), 0.0

    def matrix(self) -> np.ndarray:
        inverse = lapack.dpotri(self.root, lower=1)[0]
        inverse = inverse + inverse.T  # one triangle of it is 0
        inverse[np.diag_indices_from(inverse)] /= 2.0
        own = -self.tau * inverse
        own[np.diag_indices_from(own)] += 1.0
        own /= self.scale * self.scale[:, None]
        if not len(self.unused):
            return own
        across = self.gram[np.ix_(self.unused, self.used)] * self.scale
        image = across @ inverse  # M W from the empty cells
        m = np.empty_like(self.gram)
        m[np.ix_(self.used, self.used)] = own
        m[np.ix_(self.unused, self.used)] = image / self.scale
        m[np.ix_(self.used, self.unused)] = (image / self.scale).T
        empty = self.gram[np.ix_(self.unused, self.unused)] - image @ across.T
        m[np.ix_(self.unused, self.unused)] = empty / self.tau
        return m

    def largest_range(self, contexts: int) -> float:
        """Largest max - min over actions of M between a context's cells and any cell."""
        m = self.matrix()
        return float(np.ptp(m.reshape(-1, contexts, len(m)), axis=0).max())
