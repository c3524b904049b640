"""M = (tau G^-1 + D)^-1 of many runs at once, where D is near its expectation D0.

M0, the M of D0, is the same for all runs of a setting and T. In M = (M0^-1 + D - D0)^-1 conjugate
gradients that start from M0 need few steps, and a step of WIDTH runs is one product of matrices: a
fraction of a Cholesky factor for each run. The product always has the same shape, filled up with
zeros, so that no run's rounding depends on the others.

An answer x = M b stands beside its image y = G (b - D x)/tau, which equals it if it is exact: that
certifies it. What its certificate does not allow is NaN, and the caller's to find otherwise.
"""

import numpy as np

from dpbandits.kernel.engine.cells import expected_of, gram_of, upper_variances
from dpbandits.kernel.engine.features import ROUNDING
from dpbandits.kernel.engine.toeplitz import kernel_product
from dpbandits.kernel.kernels import MOST_PIVOTS
from dpbandits.kernel.problem import KernelSetting

WIDTH = 32  # runs together
MOST_STEPS = 60
VECTOR, SQUARE = 1e-28, 1e-15  # of the residual's square, for all of M b and for b'M b alone
CERTAIN = 1e-9  # of an answer
LEFT_OUT = 3  # a third of the cells may be empty: above, few others are left for a factor


def are_near(setting: KernelSetting, weights: np.ndarray) -> np.ndarray:
    """Which rows of weights are worth it."""
    few = np.count_nonzero(weights, axis=1) * LEFT_OUT >= weights.shape[1] * (LEFT_OUT - 1)
    return few & (setting.cells <= MOST_PIVOTS)


class Near:
    def __init__(self, setting: KernelSetting, weights: np.ndarray):
        self.setting, self.tau, self.weights = setting, setting.tau, weights
        self.expected, self.m, self.square = expected_of(setting, int(np.rint(weights[0].sum())))
        self.apart = weights - self.expected
        self.norm = np.abs(gram_of(setting)).sum(axis=1).max()

    def means(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M b and a bound on its error, of each run."""
        return self._certain(self.weights, sums)

    def largest_variances(self) -> tuple[np.ndarray, np.ndarray]:
        """sup of M_ww and a bound on its error, of each run: where it is likely first."""
        diagonal = np.diag(self.m)
        likely = diagonal + (self.apart * (self.apart * diagonal - 1.0)) @ self.square
        bound = upper_variances(self.setting, self.weights)
        return _best_first(likely.argmax(axis=1), bound, self._variances)

    def largest_ranges(self, largest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Largest max - min over actions of M between a context's cells and any cell, and a bound
        on its error, of each run; all cells are used, and `largest` is the sup of M_ww.

        With m = M0 e_w and A = D - D0, |M_wv - M0_wv| = |m'A M e_v| is at most
        sqrt(m'A M A m M_vv), and M <= D^-1.
        """
        spread = self._spread(self.m)
        moved = (self.apart**2 / self.weights) @ self.square
        bound = (spread + 2.0 * np.sqrt(largest[:, None] * moved)) * (1.0 + ROUNDING)
        return _best_first(bound.argmax(axis=1), bound, self._ranges)

    def _spread(self, rows: np.ndarray) -> np.ndarray:
        return np.ptp(rows.reshape(len(rows), -1, self.setting.contexts), axis=1).max(axis=1)

    def _ranges(self, runs, cells, _=None) -> tuple[np.ndarray, np.ndarray]:
        rows, errors = self._certain(self.weights[runs], self._units(cells))
        return self._spread(rows), 2.0 * errors

    def _units(self, cells: np.ndarray) -> np.ndarray:
        units = np.zeros((len(cells), len(self.m)))
        units[np.arange(len(cells)), cells] = 1.0
        return units

    def _certain(self, weights, targets) -> tuple[np.ndarray, np.ndarray]:
        """M b and a bound on its error, for each row b."""
        answers = self._solve(weights, targets, VECTOR)
        errors = mean_errors(self.setting, weights, targets, answers)
        answers[~(errors <= CERTAIN * np.abs(answers).max(axis=1))] = np.nan
        return answers, errors

    def _variances(self, runs, cells, unless=None) -> tuple[np.ndarray, np.ndarray]:
        """M_ww of some runs at a cell each, from above, and how far above at most; 0 if it is below
        `unless`.

        Of b = e_w any x gives (b - D x)'y + x'D x >= M_ww >= 2 b'y - (b - D x)'y - y'D y.
        """
        weights, targets = self.weights[runs], self._units(cells)
        answers = self._solve(weights, targets, SQUARE, unless)
        left = targets - weights * answers
        image = kernel_product(self.setting)(left) / self.tau
        found = np.sum(left * image + weights * answers**2, axis=1)
        errors = np.sum(weights * (image - answers) ** 2, axis=1)
        below = np.isnan(found)
        found[errors > CERTAIN * found] = np.nan
        return np.where(below, 0.0, found), np.where(below, 0.0, errors)

    def _solve(self, weights, targets, enough: float, unless=None) -> np.ndarray:
        answers = np.empty_like(targets)
        for start in range(0, len(targets), WIDTH):
            some = slice(start, start + WIDTH)
            count = len(targets[some])
            filled, own = np.zeros((2, WIDTH, len(self.m)))
            filled[:count], own[:count] = targets[some], weights[some]
            least = np.full(WIDTH, -np.inf)
            least[:count] = -np.inf if unless is None else unless[some]
            answers[some] = self._gradients(own, filled, enough, least)[:count]
        return answers

    def _gradients(self, weights, targets, enough: float, unless: np.ndarray) -> np.ndarray:
        """x with (M0^-1 + D - D0) x = b for each row b, preconditioned by M0; NaN where b'x is
        certainly below `unless`. `source` is M0^-1 times the direction; a row that is done does not
        move any more.

        b'M b = b'x + r'M r, r what is left of b, and M^-1 >= D + tau/|G|.
        """
        apart, most = weights - self.expected, 1.0 / (weights + self.tau / self.norm)
        answers, residual = np.zeros_like(targets), targets
        source, direction = residual, residual @ self.m
        size = np.einsum("ij,ij->i", residual, direction)
        goal, below = enough * size, np.zeros(WIDTH, bool)
        for _ in range(MOST_STEPS):
            going = (size > goal) & ~below
            if not going.any():
                break
            image = source + apart * direction
            curvature = np.einsum("ij,ij->i", direction, image)
            length = np.divide(size, curvature, out=np.zeros(WIDTH), where=going)[:, None]
            answers = answers + length * direction
            residual = residual - length * image
            known = np.einsum("ij,ij->i", targets, answers)
            below |= known + np.einsum("ij,ij,ij->i", residual, residual, most) < unless
            step = residual @ self.m
            previous, size = size, np.einsum("ij,ij->i", residual, step)
            onward = np.divide(size, previous, out=np.zeros(WIDTH), where=going)[:, None]
            direction, source = step + onward * direction, residual + onward * source
        answers[below] = np.nan
        return answers


def _best_first(first: np.ndarray, bound: np.ndarray, values_of) -> tuple[np.ndarray, np.ndarray]:
    """The largest value of each run and its error: of its first cell, then wherever the bound is
    not below that. `values_of(runs, cells, unless)` may be 0 where it is below `unless`.
    """
    runs = np.arange(len(bound))
    best, errors = values_of(runs, first)
    bound[runs, first] = -np.inf
    others, cells = np.nonzero(bound >= best[:, None])
    found, their = values_of(others, cells, best[others])
    for run, value, error in zip(others, found, their, strict=True):
        if value > best[run] or np.isnan(value):
            best[run], errors[run] = value, error
    return best, errors


def mean_errors(setting: KernelSetting, weights, sums, means) -> np.ndarray:
    """Bounds on |mean - M b|, uniformly, of each run, from one product with the exact kernel.

    With r = G (b - D mean) - tau mean, M b - mean = (I - M D) r/tau. As D M D <= D and
    M_ww <= 1/tau, |(M D r)_w| <= sqrt(r'D r/tau).
    """
    residual = kernel_product(setting)(sums - weights * means) - setting.tau * means
    spread = np.sqrt(np.sum(weights * residual**2, axis=1) / setting.tau)
    return (np.abs(residual).max(axis=1) + spread) / setting.tau
