"""M = (tau G^-1 + D)^-1 on fine grids, for the exact kernel: a low-rank factor, then refinement.

With W = sqrt(D) and A = W G W + tau I, Lemma 3.1's kernel form with equal points merged is
tau M = G - G W A^-1 W G. Products with G are FFTs; G^ = L L' (`kernels.Factor`) makes a
preconditioner P = W G^ W + tau I, after which A's spectrum lies in [1, 1 + |W (G - G^) W|/tau].
The supremum of M_ww needs few solves: weights that are optimal for G^ already bound it from above,
to second order in G - G^, and only the cells whose bound stands out are solved for, each for as
long as it may still hold the supremum.
"""

import numpy as np
from scipy.linalg import cho_solve

from dpbandits.kernel.engine.direct import MOST_DENSE, Direct
from dpbandits.kernel.engine.features import covariance_root, grid_factor, half_of
from dpbandits.kernel.engine.toeplitz import kernel_product
from dpbandits.kernel.problem import KernelSetting

BATCH = 8  # right-hand sides solved together
MOST_SOLVES = 512  # cells solved for, until the largest variance is left to the dense formula
TOLERANCE = 1e-9  # of the residual's norm, in one solve
MOST_STEPS = 300
REFINEMENTS = 3  # of the mean
CELLS = 2048  # cells handled at a time, and
ROWS = 128  # features, to spare memory


class Refined:
    def __init__(self, setting: KernelSetting, weights: np.ndarray):
        self.setting, self.weights, self.tau = setting, weights, setting.tau
        self.product, self.rows = kernel_product(setting), grid_factor(setting).rows
        self.scale = np.sqrt(weights)
        self.root = covariance_root(self.rows, weights, self.tau)

    def mean(self, sums: np.ndarray) -> np.ndarray:
        """M b, refined until rounding: with r = G (b - D mean) - tau mean, M b is exactly
        mean + (r - G W A^-1 W r)/tau.
        """
        mean = np.zeros((1, len(sums)))
        for _ in range(REFINEMENTS):
            residual = self.product(sums - self.weights * mean) - self.tau * mean
            solution = self._solve(self.scale * residual)
            mean += (residual - self.product(self.scale * solution)) / self.tau
        return mean[0]

    def largest_variance(self) -> tuple[float, float]:
        """sup of M_ww and a bound on its error: best first, until no bound is above the best."""
        bound = self.upper_variances()
        order = np.argsort(-bound)
        best, error = 0.0, 0.0
        for start in range(0, MOST_SOLVES, BATCH):
            if bound[order[start]] <= best:
                return best, error
            values, errors = self.variances(order[start : start + BATCH], unless=best)
            if values.max() > best:
                best, error = values.max(), max(error, errors.max())
        if np.count_nonzero(self.weights) <= MOST_DENSE:
            return Direct(self.setting, self.weights).largest_variance()
        highest = max(best, bound[order[MOST_SOLVES]])
        return float(highest), float(highest - best + error)

    def variances(self, cells: np.ndarray, unless: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """M_ww from above at some cells, and how far above at most; rough if all are <= `unless`.

        With c = W G e_w, tau M_ww = G_ww - max_z (2 c'z - z'A z): any z overestimates it, by
        r' A^-1 r <= |r|^2/tau, r = c - A z.
        """
        below = 1.0 - self.tau * unless
        unit = np.zeros((len(cells), len(self.weights)))
        unit[np.arange(len(cells)), cells] = 1.0
        target = self.scale * self.product(unit)
        solution = self._solve(target, enough=below)
        image = self._system(solution)
        explained = np.sum((2.0 * target - image) * solution, axis=1)
        residual = np.sum((target - image) ** 2, axis=1)
        return (1.0 - explained) / self.tau, residual / self.tau**2

    def upper_variances(self) -> np.ndarray:
        """Bounds on all M_ww: the mean square error of G^'s weights M^ D under the exact kernel.

        tau M <= (I - M^ D) G (I - M^ D)' + tau M^ D M^, with M^ = V'V. The excess is of second
        order in G - G^.
        """
        half, _ = half_of(self.root, self.rows)
        square, bound = np.empty((len(half), len(half))), np.ones(half.shape[1])
        for start in range(0, len(half), ROWS):
            some = slice(start, start + ROWS)
            weighted = half[some] * self.weights
            image = self.product(weighted)  # V D G
            bound -= 2.0 * np.einsum("ij,ij->j", image, half[some])
            square[some] = (image * self.weights + self.tau * weighted) @ half.T
        for start in range(0, half.shape[1], CELLS):
            some = half[:, start : start + CELLS]
            bound[start : start + CELLS] += np.einsum("ij,ij->j", some, square @ some)
        return bound / self.tau

    def _system(self, x: np.ndarray) -> np.ndarray:
        return self.scale * self.product(self.scale * x) + self.tau * x

    def _preconditioned(self, x: np.ndarray) -> np.ndarray:
        """P^-1 x by Woodbury's identity."""
        inner = self.rows.T @ (self.scale * x).T
        outer = self.rows @ cho_solve((self.root, True), inner, check_finite=False)
        return (x - self.scale * outer.T) / self.tau

    def _solve(self, target: np.ndarray, enough: float = np.inf) -> np.ndarray:
        """z = A^-1 c for each row c by preconditioned conjugate gradients, or until 2 c'z - z'A z
        is above `enough` in all rows; callers bound what is left.
        """
        tolerance = TOLERANCE * np.linalg.norm(target, axis=1)
        tiny = np.finfo(float).tiny
        solution = self._preconditioned(target)
        residual = target - self._system(solution)
        direction = step = self._preconditioned(residual)
        size = np.sum(residual * step, axis=1)
        for _ in range(MOST_STEPS):
            if (np.linalg.norm(residual, axis=1) <= tolerance).all():
                break
            if (np.sum((target + residual) * solution, axis=1) > enough).all():
                break
            image = self._system(direction)
            length = (size / np.maximum(np.sum(direction * image, axis=1), tiny))[:, None]
            solution = solution + length * direction
            residual = residual - length * image
            step = self._preconditioned(residual)
            previous, size = size, np.sum(residual * step, axis=1)
            direction = step + (size / np.maximum(previous, tiny))[:, None] * direction
        return solution
