"""M = (tau G^-1 + D)^-1 from the cells' own kernel matrix G, formed once: for kernels that need
about as many features as there are cells.

With W = sqrt(D) on the occupied cells and B = W G W + tau I, tau M = G - G W B^-1 W G; hence
M W = G W B^-1, and between occupied cells M = W^-1 (I - tau B^-1) W^-1.
"""

from functools import lru_cache

import numpy as np
from scipy.linalg import cho_solve, cholesky, lapack, solve_triangular

from dpbandits.kernel.engine.features import FIRST, ROUNDING
from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of, setting_of_kernel


def gram_of(setting: KernelSetting) -> np.ndarray:
    return _gram(setting_of_kernel(setting))


@lru_cache(maxsize=4)
def _gram(setting: KernelSetting) -> np.ndarray:
    points = grid_points(setting.grid, setting.axes)
    return kernel_matrix(setting, points, points)


@lru_cache(maxsize=10)
def expected_of(setting: KernelSetting, total: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The expected weights of a run with T = total, their M, and the squares in it."""
    weights = total * problem_of(setting).cell_law
    m = Cells(setting, weights).matrix()
    return weights, m, m * m


def _block(matrix: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """matrix[rows, rows]: whole rows are copied faster than single numbers."""
    return matrix[rows].take(rows, axis=1)


def upper_variances(setting: KernelSetting, weights: np.ndarray) -> np.ndarray:
    """Bounds on all M_ww of runs of the same T: the mean square error of the weights D0 M0 that are
    optimal for the expected D0, with what is unused left out (U):

    M_ww <= M0_ww + sum over v of M0_wv^2 q_v + M0_wU D0_U G_UU D0_U M0_Uw/tau,
    q = D0^2/D - D0 on the used cells, D0 on the others. What is too much is of second order in
    D - D0.
    """
    expected, m, square = expected_of(setting, int(np.rint(weights[0].sum())))
    ratio = np.divide(expected, weights, out=np.full_like(weights, 2.0), where=weights > 0)
    bound = np.diag(m) + (expected * (ratio - 1.0)) @ square
    for row, own in zip(bound, weights, strict=True):
        unused = np.flatnonzero(own == 0)
        left_out = m[:, unused] * expected[unused]
        moved = left_out @ _block(gram_of(setting), unused)
        row += np.einsum("wv,wv->w", moved, left_out) / setting.tau
    return bound * (1.0 + ROUNDING)


class Cells:
    def __init__(self, setting: KernelSetting, weights: np.ndarray):
        self.setting, self.tau, self.weights = setting, setting.tau, weights
        self.gram = gram_of(setting)
        self.used, self.unused = np.flatnonzero(weights), np.flatnonzero(weights == 0)
        self.scale = np.sqrt(weights[self.used])
        gram = self.gram if not len(self.unused) else _block(self.gram, self.used)
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
        """sup of M_ww, no error but rounding: best first, until no bound is above the best."""
        few = 2 * len(self.unused) <= len(self.used)  # else it is less work to solve for all
        bound = np.full(len(self.gram), np.inf)
        if few:
            bound = upper_variances(self.setting, self.weights[None])[0]
        order = np.argsort(-bound, kind="stable")
        best = self.variances(order[:FIRST]).max()
        others = order[FIRST : np.count_nonzero(bound >= best)]
        return float(self.variances(others).max(initial=best)), 0.0

    def variances(self, cells: np.ndarray) -> np.ndarray:
        """M_ww at some cells."""
        place = np.full(len(self.gram), -1)
        place[self.used] = np.arange(len(self.used))
        place = place[cells]
        target = np.zeros((len(self.used), len(cells)), order="F")
        seen, unseen = np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
        target[place[seen], seen] = 1.0
        target[:, unseen] = self.gram[np.ix_(self.used, cells[unseen])] * self.scale[:, None]
        half = solve_triangular(self.root, target, lower=True, overwrite_b=True, check_finite=False)
        square = np.einsum("ij,ij->j", half, half)
        found = (self.gram[cells, cells] - square) / self.tau
        found[seen] = (1.0 - self.tau * square[seen]) / self.scale[place[seen]] ** 2
        return found

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
