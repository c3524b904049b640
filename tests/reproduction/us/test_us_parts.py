"""US's problem by hand: kernels, laws, settings, errors.

The expected numbers follow from the paper and docs/proofs/US.md; nothing is random.
"""

import math

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


def test_context_laws():
    """Beta(2, 5) has the distribution function 1 - (1 - x)^5 (1 + 5 x)."""
    cut = 1 - (1 / 2) ** 5 * 3.5
    one = problem_of(KernelSetting(grid=2, context_law="beta"))
    same(one.context_law.tolist(), [cut, 1 - cut])
    same(one.cell_law.tolist(), [cut / 2, (1 - cut) / 2] * 2)
    two = problem_of(KernelSetting(grid=2, context_dim=2, context_law="beta"))
    same(two.context_law.tolist(), [cut**2, cut * (1 - cut), cut * (1 - cut), (1 - cut) ** 2])
