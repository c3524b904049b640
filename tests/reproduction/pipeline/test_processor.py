"""Fixed arithmetic on all processors. Processors are emulated in tests/workflow."""

import numpy as np
import pytest
import scipy.linalg


def placed(array: np.ndarray, offset: int) -> np.ndarray:
    """A copy that begins `offset` numbers after a 64-byte line of memory."""
    room = np.empty(array.size + 16)
    start = -(room.ctypes.data // 8) % 8 + offset
    view = room[start : start + array.size].reshape(array.shape)
    view[...] = array
    return view


OPERATIONS = {
    "dot": lambda a, x: x @ x,
    "matrix x vector": lambda a, x: a @ x[: len(a)],
    "matrix x matrix": lambda a, x: a @ a[:, :7],
    "a matrix x its transpose": lambda a, x: a @ a.T,
    "solve": lambda a, x: np.linalg.solve(a, x[: len(a)]),
    "inv": lambda a, x: np.linalg.inv(a),
    "cholesky": lambda a, x: scipy.linalg.cholesky(a @ a.T),
    "triangular": lambda a, x: scipy.linalg.solve_triangular(a, a),
    "eigh": lambda a, x: np.linalg.eigh(a @ a.T)[1],
    "qr": lambda a, x: np.linalg.qr(a)[1],
    "norm": lambda a, x: np.linalg.norm(a, 2),
    "sum": lambda a, x: np.concatenate([a.sum(axis=0), a.sum(axis=1), [x.sum(), x.var()]]),
    "einsum": lambda a, x: np.einsum("ij,ij->i", a, a),
    "exp, log, power": lambda a, x: np.concatenate([np.exp(x), np.log(x), x**1.5]),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("size", [5, 17, 100])
def test_results_do_not_depend_on_memory_alignment(name, size):
    """Kernels with a special case for aligned starts would make results change from run to run."""
    rng = np.random.default_rng(size)
    a, x = rng.random((size, size)) + size * np.eye(size), rng.random(41 * size)
    results = {OPERATIONS[name](placed(a, k), placed(x, k)).tobytes() for k in range(8)}
    assert len(results) == 1
