"""mubar and sup sigmabar^2, eq. (4) and (5), on the grid, for the exact kernel.

Z enters through the number of its points per cell, the rewards through their sums. Both are about
M = (tau G^-1 + D)^-1, G the kernel matrix of all cells and D = diag(n_Z / K): mubar = M b and
sigmabar^2(w) = M_ww. Which of five ways leads to M is a matter of cost; they agree to rounding.
"""

from dataclasses import dataclass

import numpy as np

from dpbandits.kernel.engine.cells import Cells
from dpbandits.kernel.engine.direct import Direct
from dpbandits.kernel.engine.features import Features, grid_factor
from dpbandits.kernel.engine.information import fresh_multiple
from dpbandits.kernel.engine.near import Near, are_near, mean_errors
from dpbandits.kernel.engine.refined import Refined
from dpbandits.kernel.kernels import MOST_PIVOTS
from dpbandits.kernel.problem import KernelSetting, Problem

CELLS_PER_FEATURE = 2  # up to here the cells' own matrix is cheaper than their features


@dataclass(frozen=True)
class Estimate:
    """One run's mubar on all cells and sup sigmabar^2, with their certificate.

    `error` bounds the distance of both from the exact formulas, uniformly, rounding apart.
    """

    mean: np.ndarray  # (cells,)
    largest_variance: float
    error: float
    largest_range: float = np.nan  # over actions, of M between a context's cells and any cell


def operator_of(
    setting: KernelSetting, weights: np.ndarray, with_range=False
) -> Features | Cells | Direct | Refined:
    """M for these weights: in exact features, or in cells where these are not many more or M's
    range is asked for; else dense if it is small."""
    factor = grid_factor(setting)
    if with_range:
        return Cells(setting, weights)
    if factor.exact and len(weights) <= min(MOST_PIVOTS, CELLS_PER_FEATURE * factor.rows.shape[1]):
        return Cells(setting, weights)
    if factor.exact:
        return Features(factor, weights, setting.tau)
    few = np.count_nonzero(weights) <= MOST_PIVOTS
    return (Direct if few else Refined)(setting, weights)


def estimate(
    setting: KernelSetting, cells, rewards, fresh: np.ndarray, multiple: int, with_range=False
) -> Estimate:
    """mubar and sup sigmabar^2 for observed cells and rewards, given the counts of Z.

    `with_range` also asks for M's largest range over actions, up to rounding, in few cells.
    """
    weights = fresh / multiple
    operator = operator_of(setting, weights, with_range)
    _, sums = tally(len(fresh), cells, rewards)
    mean = operator.mean(sums)
    largest, error = operator.largest_variance()
    spread = operator.largest_range(setting.contexts) if with_range else np.nan
    error = max(error, float(mean_errors(setting, weights[None], sums[None], mean[None])[0]))
    return Estimate(mean, largest, error, spread)


def estimates(
    setting: KernelSetting, observed, fresh, multiple: int, with_range=False
) -> list[Estimate]:
    """`estimate` of many runs: observed[i] = (cells, rewards), fresh[i] = counts of Z."""
    found, weights = [None] * len(fresh), np.array(fresh) / multiple
    near = are_near(setting, weights) & ((weights > 0).all(axis=1) | (not with_range))
    if near.any():
        operator, spread = Near(setting, weights[near]), np.full(near.sum(), np.nan)
        sums = [tally(setting.cells, *observed[i])[1] for i in np.flatnonzero(near)]
        means, errors = operator.means(np.array(sums))
        largest, their = operator.largest_variances()
        known = ~np.isnan(means[:, 0] + largest)
        if with_range:
            spread, _ = operator.largest_ranges(largest)
            known &= ~np.isnan(spread)
        errors = np.maximum(errors, their)
        for i, ok, *one in zip(
            np.flatnonzero(near), known, means, largest, errors, spread, strict=True
        ):
            found[i] = Estimate(*one) if ok else None
    alone = (
        one or estimate(setting, *observed[i], fresh[i], multiple, with_range)
        for i, one in enumerate(found)
    )
    return list(alone)


def posterior_mean(setting: KernelSetting, counts: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """mu_T of eq. (2) on all cells, from the number of visits and the sum of rewards per cell."""
    return operator_of(setting, counts).mean(sums)


def posterior_means(setting: KernelSetting, observed) -> np.ndarray:
    """`posterior_mean` of many runs, (runs, cells)."""
    counts, sums = np.array([tally(setting.cells, *one) for one in observed]).transpose(1, 0, 2)
    means, near = np.full_like(sums, np.nan), are_near(setting, counts)
    if near.any():
        means[near] = Near(setting, counts[near]).means(sums[near])[0]
    for i in np.flatnonzero(np.isnan(means[:, 0])):
        means[i] = posterior_mean(setting, counts[i], sums[i])
    return means


def tally(size: int, cells: np.ndarray, rewards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Visits and sums of rewards per cell."""
    counts = np.bincount(cells, minlength=size).astype(float)
    return counts, np.bincount(cells, weights=rewards, minlength=size)


def draw_fresh(problem: Problem, rng: np.random.Generator, horizon: int) -> tuple[np.ndarray, int]:
    """The TK points of Z as counts per cell (multinomial: exactly the law of i.i.d. points)."""
    multiple = fresh_multiple(problem.setting, horizon)
    return rng.multinomial(horizon * multiple, problem.cell_law).astype(float), multiple
