"""gamma_T, the maximal information gain: the greedy value on the grid, with two guarantees.

Greedy picks the cell of largest posterior variance. The gain is monotone and submodular, so greedy
is within 1 - 1/e of the maximum over its candidates. Much sharper, by concavity of the gain in the
(relaxed) counts n: gamma_T <= gain(n) + (T max_w s(w) - sum_w n_w s(w)) / (2 tau), with s the
posterior variance after greedy's T picks; `gain_bounds` returns both ends.

Picks are made in blocks: inside a block of the most uncertain cells greedy runs as long as its best
cell beats every cell outside, whose variances can only fall. Hence exactly greedy's picks, but the
covariance is updated once per block; of it the upper triangle alone is kept.
"""

import math

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.blas import dsyrk

from dpbandits.kernel.engine.features import grid_factor, weighted_inverse
from dpbandits.kernel.kernels import kernel_matrix, spread_cells
from dpbandits.kernel.problem import KernelSetting, grid_points, setting_of_kernel

BLOCK = 112


def information_gain(setting: KernelSetting, horizon: int) -> np.ndarray:
    """Greedy's gain after 1, ..., horizon picks; a prefix does not depend on the horizon."""
    return known_picks(setting, horizon)[0][:horizon]


def fresh_multiple(setting: KernelSetting, horizon: int) -> int:
    """K = ceil(T / gamma_T)."""
    return int(np.ceil(horizon / information_gain(setting, horizon)[-1]))


def gain_bounds(setting: KernelSetting, horizon: int) -> tuple[float, float]:
    """gamma_T on the whole grid lies between greedy's value and this upper end."""
    gains, picks = known_picks(setting, horizon)
    factor = grid_factor(setting)
    counts = np.bincount(picks[:horizon], minlength=len(factor.rows)).astype(float)
    _, spread = weighted_inverse(factor.rows, counts, setting.tau)
    variance = setting.tau * spread + factor.missing  # exact: every pick is a pivot
    slack = (horizon * variance.max() - counts @ variance) / (2.0 * setting.tau)
    return float(gains[horizon - 1]), float(gains[horizon - 1] + slack)


_known: dict[KernelSetting, tuple[np.ndarray, np.ndarray]] = {}  # the longest run of each kernel


def known_picks(setting: KernelSetting, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """Greedy's gains and picks for at least `horizon` picks, computed once per process."""
    key = setting_of_kernel(setting)
    if key not in _known or len(_known[key][0]) < horizon:
        _known[key] = greedy(key, 1 << max(6, int(horizon - 1).bit_length()))
    return _known[key]


def greedy(setting: KernelSetting, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """(cumulative gains, picked cells) of `horizon` greedy picks."""
    candidates = spread_cells(setting.grid, setting.axes)
    points = grid_points(setting.grid, setting.axes)[candidates]
    covariance = kernel_matrix(setting, points, points)
    gains, picks, done = np.empty(horizon), np.empty(horizon, np.int64), 0
    while done < horizon:
        block, outside = _most_uncertain(np.diag(covariance))
        own = covariance[np.ix_(block, block)]
        chosen, gained = _inside(own, outside, setting.tau, horizon - done)
        picks[done : done + len(chosen)] = candidates[block[chosen]]
        gains[done : done + len(chosen)] = gained
        done += len(chosen)
        cells, counts = np.unique(block[chosen], return_counts=True)
        _condition(covariance, cells, counts, setting.tau)
    return np.cumsum(gains), picks


def _most_uncertain(variance: np.ndarray) -> tuple[np.ndarray, float]:
    if len(variance) <= BLOCK:
        return np.arange(len(variance)), -np.inf
    order = np.argsort(-variance, kind="stable")
    return np.sort(order[:BLOCK]), float(variance[order[BLOCK]])


def _inside(covariance: np.ndarray, outside: float, tau: float, most: int):
    """Greedy inside a block until a cell outside might be better; at least one pick.

    Only the rows of cells that are picked are brought up to date, by all picks before.
    """
    most = min(most, 4 * BLOCK)
    columns, terms = np.empty((2, most + 1, len(covariance)))
    variances, chosen, seen = np.diag(covariance).copy(), [], []
    while (count := len(chosen)) < most:
        best = int(variances.argmax())
        variance = float(variances[best])
        if chosen and variance < outside:
            break
        chosen.append(best)
        seen.append(variance)
        terms[0, :best], terms[0, best:] = covariance[:best, best], covariance[best, best:]
        known = columns[:count]
        np.multiply(known, known[:, best, None], out=terms[1 : count + 1])
        row = np.subtract.reduce(terms[: count + 1], axis=0)
        column = np.divide(row, math.sqrt(tau + variance), out=columns[count])
        variances -= column * column
    return np.array(chosen), 0.5 * np.log1p(np.array(seen) / tau)


def _condition(covariance: np.ndarray, cells, counts, tau: float) -> None:
    """The covariance after observing each cell `counts` times with noise variance tau, in place."""
    right = np.arange(len(covariance)) >= cells[:, None]
    rows = np.where(right, covariance[cells], covariance[:, cells].T)
    lower = cholesky(rows[:, cells] + np.diag(tau / counts), lower=True, check_finite=False)
    half = solve_triangular(lower, rows, lower=True, check_finite=False)
    dsyrk(-1.0, half, 1.0, covariance.T, trans=1, lower=1, overwrite_c=1)
