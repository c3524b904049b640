"""The posterior's covariance, one observation at a time: in features if they are exact, else from
the visited cells.

With B = (K + tau D^-1)^-1 on the visited cells, D their visits, the covariance of all cells with
cell v is G (e_v - B k(visited, v)), one FFT. Every observation adds a rank-one matrix q q' to B:
- a new cell borders it: q = (B k(visited, v), -1)/sqrt(tau + var(v));
- a visit more lowers tau/D_vv by d: q = B e_v sqrt(d/(1 - d B_vv)), by Sherman and Morrison.
"""

import numpy as np
from scipy.linalg import blas

from dpbandits.kernel.engine.features import grid_factor
from dpbandits.kernel.engine.toeplitz import kernel_product
from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points


def posterior_of(setting: KernelSetting):
    factor = grid_factor(setting)
    return InFeatures(factor.rows, setting.tau) if factor.exact else OnVisits(setting)


class InFeatures:
    def __init__(self, rows: np.ndarray, tau: float):
        self.rows, self.tau = rows, tau
        self.covariance = np.eye(rows.shape[1], order="F")  # of the feature weights, lower half
        self.variance = np.einsum("ij,ij->i", rows, rows)

    def observe(self, cell: int) -> tuple[np.ndarray, float]:
        """Covariances of all cells with this one, before the observation, and its precision."""
        direction = blas.dsymv(1.0, self.covariance, self.rows[cell], lower=1)
        column = self.rows @ direction
        scale = 1.0 / (self.tau + column[cell])
        lowered = blas.dsyr(-scale, direction, a=self.covariance, lower=1, overwrite_a=True)
        self.covariance = lowered
        self.variance -= scale * column * column
        return column, scale


class OnVisits:
    def __init__(self, setting: KernelSetting):
        self.setting, self.tau = setting, setting.tau
        self.points = grid_points(setting.grid, setting.axes)
        self.product = kernel_product(setting)
        self.variance = np.ones(setting.cells)
        self.visits = np.zeros(setting.cells, np.int64)
        self.place = np.zeros(setting.cells, np.int64)  # of a visited cell, in the order of visits
        self.cells: list[int] = []
        self.inverse = np.zeros((64, 64), order="F")  # B, lower half

    def observe(self, cell: int) -> tuple[np.ndarray, float]:
        """As in features."""
        answer = self._answer(cell)
        weights = np.zeros((1, len(self.visits)))
        weights[0, self.cells] = -answer
        weights[0, cell] += 1.0
        column = self.product(weights)[0]
        scale = 1.0 / (self.tau + column[cell])
        self.variance -= scale * column * column
        if self.visits[cell]:
            self._visit_again(cell, answer)
        else:
            self._visit_first(cell, answer, scale)
        self.visits[cell] += 1
        return column, scale

    def _answer(self, cell: int) -> np.ndarray:
        """B k(visited, cell)."""
        if not self.cells:
            return np.zeros(0)
        seen = kernel_matrix(self.setting, self.points[self.cells], self.points[[cell]])[:, 0]
        padded = np.zeros(len(self.inverse))
        padded[: len(seen)] = seen
        return blas.dsymv(1.0, self.inverse, padded, lower=1)[: len(seen)]

    def _visit_first(self, cell: int, answer: np.ndarray, scale: float) -> None:
        self.place[cell] = len(self.cells)
        self.cells.append(cell)
        if len(self.cells) > len(self.inverse):
            larger = np.zeros((2 * len(self.inverse),) * 2, order="F")
            larger[: len(self.inverse), : len(self.inverse)] = self.inverse
            self.inverse = larger
        self._add(np.append(answer, -1.0) * np.sqrt(scale))

    def _visit_again(self, cell: int, answer: np.ndarray) -> None:
        """B e_v = (e_v - B k) D_vv/tau, because (K + tau D^-1) e_v = k + tau e_v/D_vv."""
        visits, place = self.visits[cell], self.place[cell]
        column = -answer * (visits / self.tau)
        column[place] += visits / self.tau
        lowered = self.tau / (visits * (visits + 1.0))
        self._add(column * np.sqrt(lowered / (1.0 - lowered * column[place])))

    def _add(self, q: np.ndarray) -> None:
        padded = np.zeros(len(self.inverse))
        padded[: len(q)] = q
        self.inverse = blas.dsyr(1.0, padded, a=self.inverse, lower=1, overwrite_a=True)
