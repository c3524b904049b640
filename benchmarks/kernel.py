"""US: CPU time of a run; the estimator against the printed formula with a TK x TK matrix.

OMP_NUM_THREADS=1 python benchmarks/kernel.py
"""

import sys
import time
from pathlib import Path

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: one thread

import numpy as np

from dpbandits.core import algorithms
from dpbandits.kernel.estimator import estimate
from dpbandits.kernel.information import greedy
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import draw_Z

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))
from kernel_dense import dense_estimate  # the tests' plain reference

GRID = 25  # as in config/us.yaml


def seconds(function, repeats: int = 1) -> float:
    """The smallest CPU time of some calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def one_run(kernel: str, horizon: int) -> None:
    algorithms.run(
        "usca", {"kernel": kernel, "grid": GRID}, 1.0, horizon, range(1), np.array([horizon])
    )


def runs(kernel: str, horizon: int) -> None:
    gain = seconds(lambda: greedy(KernelSetting(kernel=kernel, grid=GRID), horizon))
    one_run(kernel, horizon)
    each = seconds(lambda: one_run(kernel, horizon), 5)
    print(f"{kernel:9} T = {horizon}: gamma_T once {gain:.2f} s, then {each * 1e3:.1f} ms a run")


def against_dense(kernel: str, horizon: int) -> None:
    setting = KernelSetting(kernel=kernel, grid=GRID)
    problem, rng = problem_of(setting), np.random.default_rng(0)
    cells, rewards = problem.observe(rng, horizon)
    Z, K = draw_Z(problem, rng, horizon)
    points = np.repeat(np.arange(setting.cells), Z.astype(int))
    result = estimate(setting, cells, rewards, Z, K)
    mean, variance = dense_estimate(setting, cells, rewards, points, K)
    fast = seconds(lambda: estimate(setting, cells, rewards, Z, K), 3)
    slow = seconds(lambda: dense_estimate(setting, cells, rewards, points, K))
    print(
        f"{kernel:9} T = {horizon}, TK = {len(points)}: dense {slow:.2f} s, ours {fast:.4f} s, "
        f"ratio {slow / fast:.0f}; difference {np.abs(result.mean - mean).max():.1e} in mubar, "
        f"{abs(result.largest_variance - variance.max()):.1e} in sup sigmabar^2; certified error "
        f"{result.error:.1e}"
    )


if __name__ == "__main__":
    for name in ("se", "matern52", "matern32", "cosine"):
        runs(name, 2**14)
    for name in ("se", "matern52"):
        against_dense(name, 256)
