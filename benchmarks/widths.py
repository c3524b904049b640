"""Would LinUCB's private relatives do better with less optimism than their theorems ask for?

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/widths.py

writes widths.csv (seeds that nothing else uses), of which docs/rivals.md says the numbers
(`make texts`): the mean error of private-gp-ucb after 4,096 rounds, and the regret of jdp-linucb
after 20,000 rounds over that of a random arm, with standard errors. width: a factor of beta_t.
"""

import csv
from pathlib import Path

import numpy as np

from dpbandits.kernel.problem import CalibratedSetting, grid_points, problem_of
from dpbandits.kernel.usca import exponential_mechanism
from dpbandits.reproduction.fl.algorithms import jdp_linucb
from dpbandits.reproduction.linucb import LinUcb
from dpbandits.reproduction.us.algorithms import private_gp_ucb
from dpbandits.sparse.problem import SparseSetting

TABLE = Path(__file__).with_suffix(".csv")
WIDTHS, RUNS, ROUNDS = (1, 0.3, 0.1, 0.01, 0), 16, 20_000


def narrowed(learner: LinUcb, width: float) -> LinUcb:
    refit = learner.refit

    def again(noise=0.0):
        refit(noise)
        learner.beta *= width

    learner.refit = again
    return learner


def kernel(epsilon: float, width: float) -> list[float]:
    setting = CalibratedSetting(kernel="se", grid=25, noise=0.5, calibration="exact")
    problem, nodes = problem_of(setting), private_gp_ucb.nodes_needed(setting)
    points = grid_points(setting.grid, setting.axes)
    rows = private_gp_ucb.fourier_rows(points, setting.lengthscale, nodes)
    mu, errors = private_gp_ucb.gaussian_mu(epsilon), []
    for seed in range(7000, 7000 + RUNS):
        own = private_gp_ucb.Learner(problem, rows, mu, 4096, np.random.default_rng(seed))
        narrowed(own.linucb, width)
        output = exponential_mechanism(own.learn().reshape(problem.values.shape), np.inf, 1.0)
        errors.append(problem.error_rate(output))
    return errors


def linear(d: int, epsilon: float, width: float) -> list[float]:
    shares, plain = [], jdp_linucb.learner
    jdp_linucb.learner = lambda *given: narrowed(plain(*given), width)
    for seed in range(7000, 7000 + RUNS):
        setting = SparseSetting(d=d, arms=3, true_sparsity=d, sparsity=d, delta=1e-6)
        rng = np.random.default_rng(seed)
        x = rng.standard_normal((20_000, setting.arms, d)) @ setting.signal
        idle = (x.max(axis=1) - x.mean(axis=1)).mean()
        shares.append(
            jdp_linucb.regret_of_run(setting, epsilon, ROUNDS, rng).sum() / (idle * ROUNDS)
        )
    jdp_linucb.learner = plain
    return shares


def main():
    cases = [("private-gp-ucb", 0, e, kernel) for e in (0.5, 5, 50)]
    cases += [("jdp-linucb", d, e, linear) for d in (5, 20) for e in (1, 5)]
    rows = []
    for name, d, epsilon, run in cases:
        for width in WIDTHS:
            found = np.array(run(*([d] if d else []), epsilon, width))
            sem = found.std(ddof=1) / np.sqrt(RUNS)
            row = {"algorithm": name, "d": d, "epsilon": epsilon, "width": width, "runs": RUNS}
            rows.append(row | {"mean": f"{found.mean():.3g}", "sem": f"{sem:.2g}"})
            print(rows[-1], flush=True)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
