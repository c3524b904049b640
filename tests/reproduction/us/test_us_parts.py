"""US's problem by hand: kernels, laws, settings, errors.

The expected numbers follow from the paper and docs/proofs/US.md; nothing is random.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from made_up_tables import same

from dpbandits.kernel import kernels
from dpbandits.kernel.problem import (
    KernelSetting,
    grid_points,
    problem_of,
)
from dpbandits.reproduction.us import theory


@pytest.mark.parametrize(("kernel", "value"), [
    ("se", math.exp(-25 / 8)),  # distance 5 at lengthscale 2
    ("matern32", (1 + 2.5 * math.sqrt(3)) * math.exp(-2.5 * math.sqrt(3))),
    ("matern52", (1 + 2.5 * math.sqrt(5) + 5 * 6.25 / 3) * math.exp(-2.5 * math.sqrt(5))),
])  # fmt: skip
def test_stationary_kernels(kernel, value):
    setting = KernelSetting(kernel=kernel, lengthscale=2.0)
    gram = kernels.kernel_matrix(setting, np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0, 0]]))
    same(gram[0].tolist(), [value, 1.0])


def test_cosine_kernel_on_four_cells():
    """Frequencies (0,0), (0,1), (1,0), (1,1): weights 1, 1/4, 1/9, 1/16 over their sum with
    sup psi^2 = 1, 2, 2, 4; midpoints 1/4 and 3/4, where cos is +-1/sqrt 2."""
    setting = KernelSetting(kernel="cosine", grid=2)
    assert kernels.cosine_frequencies(2, 2).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    weights = np.array([1, 1 / 4, 1 / 9, 1 / 16])
    weights /= 1 + 2 / 4 + 2 / 9 + 4 / 16
    same(kernels.cosine_spectrum(setting).tolist(), weights.tolist())
    rows = kernels.cosine_rows(setting, grid_points(2, 2))
    same(rows[1].tolist(), (np.sqrt(weights) * [1, -1, 1, -1]).tolist())
    spectrum = theory.spectrum_of(setting)
    assert spectrum.F == 2.0
    same(spectrum.C_p(2.0), weights[0])


def test_spread_cells():
    assert kernels.spread_cells(5, 1, 3).tolist() == [0, 2, 4]
    assert kernels.spread_cells(5, 2, 4).tolist() == [0, 4, 20, 24]
    assert kernels.spread_cells(3, 2, 9).tolist() == list(range(9))
    assert kernels.spread_cells(3, 3, 27).tolist() == list(range(27))
    assert len(kernels.spread_cells(101, 2)) == 33**2


def test_context_laws():
    """Beta(2, 5) has the distribution function 1 - (1 - x)^5 (1 + 5 x)."""
    cut = 1 - (1 / 2) ** 5 * 3.5
    one = problem_of(KernelSetting(grid=2, context_law="beta"))
    same(one.context_law.tolist(), [cut, 1 - cut])
    same(one.cell_law.tolist(), [cut / 2, (1 - cut) / 2] * 2)
    two = problem_of(KernelSetting(grid=2, context_dim=2, context_law="beta"))
    same(two.context_law.tolist(), [cut**2, cut * (1 - cut), cut * (1 - cut), (1 - cut) ** 2])


def test_errors_by_hand():
    """f = [[1, 0], [0, 3]] under contexts (1/4, 3/4): a fair coin errs by 1/2 and 3/2."""
    f, law = np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([0.25, 0.75])
    problem = replace(problem_of(KernelSetting(grid=2)), values=f, context_law=law)
    assert problem.gaps.tolist() == [[0, 3], [1, 0]]
    assert problem.error_rate(np.full((2, 2), 0.5)) == 0.25 * 0.5 + 0.75 * 1.5


@pytest.mark.parametrize("kernel", ["se", "matern32"])
def test_unknown_function_is_the_same_on_every_grid(kernel):
    """Midpoints of 3 cells are midpoints of 9; another seed or lengthscale gives another f."""
    fine, coarse = (problem_of(KernelSetting(kernel=kernel, grid=grid)).values for grid in (9, 3))
    np.testing.assert_allclose(fine[1::3, 1::3], coarse, atol=1e-12)
    others = [{"function_seed": 1}, {"lengthscale": 0.21}, {"decay": 3.0}]
    for other in others:
        changed = problem_of(KernelSetting(kernel=kernel, grid=3, **other)).values
        assert np.abs(changed - coarse).max() > 0.02
