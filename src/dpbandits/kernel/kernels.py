"""Kernels with k(w, w) <= 1, and their factor of finite rank on the grid with its error.

`setting` needs the fields kernel, lengthscale, decay, grid and axes (see KernelSetting).
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

MOST_PIVOTS = 1100  # the largest rank of a factor: 33 x 33 cells; limits time and memory
LEAST_PIVOT = 1e-13  # where a factor ends
EXACT = 1e-11  # a factor with a smaller remainder at every cell counts as exact
COSINES = 128  # eigenfunctions of the finite Mercer kernel


def kernel_matrix(setting, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """k(a_i, b_j) for points in the rows of a and b."""
    if setting.kernel == "cosine":
        return cosine_rows(setting, a) @ cosine_rows(setting, b).T
    if setting.kernel == "se":
        return np.exp(-squared_distances(a, b) / (2.0 * setting.lengthscale**2))
    smoothness = {"matern32": 3.0, "matern52": 5.0}[setting.kernel]  # 2 nu
    r = np.sqrt(smoothness) / setting.lengthscale * np.sqrt(squared_distances(a, b))
    polynomial = 1.0 + r if smoothness == 3.0 else 1.0 + r + r * r / 3.0
    return polynomial * np.exp(-r)


def squared_distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return sum(np.subtract.outer(x, y) ** 2 for x, y in zip(a.T, b.T, strict=True))


@lru_cache(maxsize=32)
def cosine_frequencies(grid: int, axes: int) -> np.ndarray:
    """Multi-indices of the eigenfunctions, lowest frequency first."""
    count = min(COSINES, grid**axes)
    side = min(grid, COSINES if axes == 1 else 24 if axes == 2 else 9)
    indices = np.array(list(product(range(side), repeat=axes)))
    order = np.lexsort((*indices.T[::-1], np.sum(indices**2, axis=1)))
    return indices[order[:count]]


def cosine_spectrum(setting) -> np.ndarray:
    """Mercer's eigenvalues lambda_j = C_p j^-decay under uniform contexts, with k(0, 0) = 1."""
    frequencies = cosine_frequencies(setting.grid, setting.axes)
    decay = np.arange(1.0, len(frequencies) + 1) ** -setting.decay
    largest = 2.0 ** np.count_nonzero(frequencies, axis=1)  # sup of psi_j^2, attained at 0
    return decay / np.sum(decay * largest)


def cosine_rows(setting, points: np.ndarray) -> np.ndarray:
    """Features sqrt(lambda_j) psi_j(w), psi_j a product of 1 or sqrt(2) cos(pi n x)."""
    frequencies = cosine_frequencies(setting.grid, setting.axes)
    rows = np.sqrt(cosine_spectrum(setting) * 2.0 ** np.count_nonzero(frequencies, axis=1))
    for axis in range(setting.axes):
        rows = rows * np.cos(np.pi * np.outer(points[:, axis], frequencies[:, axis]))
    return rows


@dataclass(frozen=True)
class Factor:
    """k = rows rows' + remainder, where `missing` is the diagonal of the remainder.

    The remainder is positive semidefinite (a Schur complement), so |remainder(v, w)| is at most
    sqrt(missing(v) missing(w)): its diagonal bounds the whole matrix. `rows rows'` is a kernel
    itself, the projection of k on the span of the pivots' sections.
    """

    rows: np.ndarray  # (cells, rank)
    missing: np.ndarray  # (cells,)

    @property
    def exact(self) -> bool:
        return bool(self.missing.max() <= EXACT)


def finest_grid(cells: int, axes: int) -> int:
    """The largest number of cells per axis with at most `cells` in all."""
    return int(cells ** (1.0 / axes) + 1e-9)


def spread_cells(grid: int, axes: int, most: int = MOST_PIVOTS) -> np.ndarray:
    """All cells if they are at most `most`, else those of a regular sub-grid."""
    side = min(grid, finest_grid(most, axes))
    steps = np.unique(np.rint(np.linspace(0, grid - 1, side)).astype(np.int64))
    mesh = np.meshgrid(*[steps] * axes, indexing="ij")
    return sum(m.reshape(-1) * grid ** (axes - 1 - i) for i, m in enumerate(mesh))


def factor_of(setting, points: np.ndarray, most: int = MOST_PIVOTS) -> Factor:
    """The factor of the kernel on the whole grid: exact for cosine, SE, and grids of few cells.

    By rank-revealing Cholesky of the kernel matrix of `spread_cells`, extended to every cell.
    """
    if setting.kernel == "cosine":
        return Factor(cosine_rows(setting, points), np.zeros(len(points)))
    from scipy.linalg import lapack, solve_triangular  # here: learners do without SciPy

    cells = spread_cells(setting.grid, setting.axes, most)
    gram = kernel_matrix(setting, points[cells], points[cells])
    lower, order, rank, _ = lapack.dpstrf(gram, lower=1, tol=LEAST_PIVOT)
    pivots = cells[order[:rank] - 1]
    across = kernel_matrix(setting, points[pivots], points)
    rows = solve_triangular(np.tril(lower[:rank, :rank]), across, lower=True, overwrite_b=True).T
    missing = (1.0 - np.einsum("ij,ij->i", rows, rows)).clip(min=0.0)
    return Factor(np.ascontiguousarray(rows), missing)


def features(gram: np.ndarray) -> np.ndarray | None:
    """Rows whose products are the entries of gram, up to LEAST_PIVOT, by NumPy alone; None if they
    would be longer than half of it."""
    left, columns = np.diag(gram).copy(), np.zeros((len(gram) // 2 + 1, len(gram)))
    for r in range(len(columns)):
        pivot = int(left.argmax())
        if left[pivot] <= LEAST_PIVOT:
            return columns[:r].T
        columns[r] = (gram[pivot] - columns[:r, pivot] @ columns[:r]) / np.sqrt(left[pivot])
        left -= columns[r] ** 2
        left[pivot] = 0.0
    return None
