"""US: cost of one run against T, and against the dense formula.

OMP_NUM_THREADS=1 python benchmarks/kernel.py

Growth: exponents in T of the CPU time of one full USCA run on the default grid, and of greedy's
gamma_T, which a process computes once. Ratio: the printed formula with its TK x TK matrix against
the finite features, same data. Then the default grid of 10,201 cells against the same formula with
equal points merged (a matrix of 0.8 GiB and some 10^12 operations, so once per kernel). All in CPU
seconds of one thread.
"""

import resource
import sys
import time
from pathlib import Path

import dpbandits  # noqa: F401  before NumPy

# isort: split
import numpy as np

from dpbandits.core import algorithms
from dpbandits.core.statistics import fit_power
from dpbandits.kernel.engine import estimator, information
from dpbandits.kernel.engine.direct import Direct
from dpbandits.kernel.problem import KernelSetting, problem_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "kernel"))
from kernel_dense import dense_estimate  # the tests' plain reference

HORIZONS = 2 ** np.arange(6, 15)


def seconds(work, repeats: int = 1) -> float:
    """The fastest of some repetitions."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def one_run(setting: dict, horizon: int) -> None:
    algorithms.run("usca", setting, 1.0, horizon, range(1), np.array([horizon]))


def growth(kernel: str) -> None:
    setting = {"kernel": kernel}
    cold = seconds(lambda: one_run(setting, int(HORIZONS[-1])))
    warm = [seconds(lambda t=int(t): one_run(setting, t), 3) for t in HORIZONS]
    slope, error = fit_power(HORIZONS, np.array(warm))
    gains = [seconds(lambda t=int(t): greedy_afresh(kernel, t)) for t in HORIZONS[4:]]
    gain_slope, gain_error = fit_power(HORIZONS[4:], np.array(gains))
    print(
        f"{kernel:9} T = {HORIZONS[-1]}: {cold:.2f} s the first time (with gamma_T and the factor),"
        f" {warm[-1]:.2f} s after; T = {HORIZONS[0]}: {warm[0]:.3f} s; cost grows like "
        f"T^({slope:.2f} +- {1.96 * error:.2f}), gamma_T ({gains[-1]:.2f} s) like "
        f"T^({gain_slope:.2f} +- {1.96 * gain_error:.2f}); peak memory so far "
        f"{peak_memory():.2f} GiB"
    )


def greedy_afresh(kernel: str, horizon: int) -> None:
    information._known.clear()
    information.information_gain(KernelSetting(kernel=kernel), horizon)


def against_dense(kernel: str, horizon: int) -> None:
    setting = KernelSetting(kernel=kernel, grid=25)
    problem, rng = problem_of(setting), np.random.default_rng(0)
    cells, rewards = problem.observe(rng, horizon)
    fresh, multiple = estimator.draw_fresh(problem, rng, horizon)
    each = np.repeat(np.arange(setting.cells), fresh.astype(int))
    found = estimator.estimate(setting, cells, rewards, fresh, multiple)
    dense = dense_estimate(setting, cells, rewards, each, multiple)
    fast = seconds(lambda: estimator.estimate(setting, cells, rewards, fresh, multiple), 3)
    slow = seconds(lambda: dense_estimate(setting, cells, rewards, each, multiple))
    print(
        f"{kernel:9} T = {horizon}, TK = {len(each)}: dense {slow:.2f} s, features {fast:.4f} s, "
        f"ratio {slow / fast:.0f}; difference {np.abs(found.mean - dense[0]).max():.1e} in mubar, "
        f"{abs(found.largest_variance - dense[1].max()):.1e} in sup sigmabar^2"
    )


def default_grid(kernel: str, horizon: int) -> None:
    setting = KernelSetting(kernel=kernel)
    problem, rng = problem_of(setting), np.random.default_rng(0)
    cells, rewards = problem.observe(rng, horizon)
    fresh, multiple = estimator.draw_fresh(problem, rng, horizon)
    start = time.process_time()
    found = estimator.estimate(setting, cells, rewards, fresh, multiple)
    fast = time.process_time() - start
    start = time.process_time()
    dense = Direct(setting, fresh / multiple)
    mean = dense.mean(estimator.tally(setting.cells, cells, rewards)[1])
    largest, _ = dense.largest_variance()
    slow = time.process_time() - start
    print(
        f"{kernel:9} {setting.cells} cells, T = {horizon}, TK = {fresh.sum():.0f}: merged dense "
        f"{slow:.1f} s ({peak_memory():.2f} GiB), ours {fast:.2f} s, ratio {slow / fast:.0f}; "
        f"difference {np.abs(found.mean - mean).max():.1e} in mubar (largest "
        f"{np.abs(mean).max():.2f}), {abs(found.largest_variance - largest):.1e} in sup sigmabar^2 "
        f"({largest:.3f}); certified error {found.error:.1e}"
    )


def peak_memory() -> float:
    """GiB of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    for name in ("se", "matern52", "matern32", "cosine"):
        growth(name)
    for name in ("se", "matern52"):
        against_dense(name, 256)
    for name in ("se", "matern52", "matern32"):
        default_grid(name, int(HORIZONS[-1]))
    for size in (64, 1024):
        low, high = information.gain_bounds(KernelSetting(kernel="matern52"), size)
        print(f"matern52: gamma_{size} between {low:.2f} and {high:.2f}")
