"""Sparsity-agnostic Lasso bandit (Oh, Iyengar and Zeevi 2021), not private.

As in FLIPHAT's experiments: after t rounds scikit-learn's alpha is 2 lambda_0
sqrt((4 ln t + 2 ln d)/t) with lambda_0 = 1; there is no intercept, and a refit every 200 rounds.
engine/sa_lasso.py is a fast version.
"""

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.problem import SparseSetting, contexts, reward_noise
from dpbandits.sparse.recorder import cumulative


class LassoSetting(SparseSetting):
    lambda_0: Annotated[float, Field(gt=0)] = 1.0
    refit_every: Annotated[int, Field(ge=1)] = 200


@algorithm("sa-lasso", setting=LassoSetting, source="Oh, Iyengar and Zeevi 2021")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return in_batches(play_batch, setting, horizon, streams, checkpoints)


def in_batches(play_batch, setting, horizon, streams, checkpoints) -> Trajectories:
    """A refit after each batch of rounds; `play_batch` simulates one batch."""

    def regret_of_run(rng):
        fit, batches = GrowingLasso(setting.d), []
        estimate, t = np.zeros(setting.d), 0
        while t < horizon:
            n = min(setting.refit_every, horizon - t)
            x, rewards, regret = play_batch(setting, rng, estimate, n)
            batches.append(regret)
            fit.add(x, rewards)
            t += n
            rate = math.sqrt((4 * math.log(t) + 2 * math.log(setting.d)) / t)
            if t > 5:  # as in public implementations
                estimate = fit.solve(2 * setting.lambda_0 * rate)
        return np.concatenate(batches)

    return cumulative(regret_of_run, streams, checkpoints)


def play_batch(setting: LassoSetting, rng, estimate: np.ndarray, n: int):
    """n rounds with the greedy arm: its contexts, rewards and regret."""
    x = contexts(setting, rng, n)
    mean = x @ setting.signal
    played = np.arange(n), np.argmax(x @ estimate, axis=1)
    rewards = mean[played] + reward_noise(setting, rng, n)
    return x[played], rewards, mean.max(axis=1) - mean[played]


class GrowingLasso:
    """Lasso on a growing set of rows, warm-started, by active sets.

    Only the Gram matrix's columns of active coordinates are kept. A solution on these solves the
    whole problem if every other coordinate meets the optimality condition |x_j'(y - X b)| <= n
    alpha; coordinates that do not are activated.
    """

    def __init__(self, d: int):
        self.rows: list[np.ndarray] = []
        self.count = 0
        self.correlations = np.zeros(d)  # X'y
        self.active: list[int] = []
        self.gram = np.zeros((d, 0))  # X'X_active
        self.estimate = np.zeros(d)

    def add(self, x: np.ndarray, y: np.ndarray) -> None:
        self.rows.append(x)
        self.count += len(x)
        self.correlations += y @ x
        self.gram += x.T @ x[:, self.active]

    def solve(self, alpha: float) -> np.ndarray:
        """argmin |y - X b|^2/(2n) + alpha |b|_1."""
        while True:
            self._solve_on_active(alpha)
            slack = np.abs(self.correlations - self.gram @ self.estimate[self.active])
            slack[self.active] = 0.0
            broken = np.flatnonzero(slack > self.count * alpha * (1 + 1e-6))
            if len(broken) == 0:
                return self.estimate.copy()
            for j in broken[np.argsort(-slack[broken])][:10]:
                column = sum(x.T @ x[:, j] for x in self.rows)
                self.active.append(int(j))
                self.gram = np.column_stack((self.gram, column))

    def _solve_on_active(self, alpha: float) -> None:
        """By scikit-learn, on the Cholesky factor: it has the same Gram matrix in few rows.

        `enet_path` without checks, which take most of the time of scikit-learn's Lasso.
        """
        from sklearn import config_context
        from sklearn.linear_model import enet_path

        size = len(self.active)
        if size == 0:
            return
        square = self.gram[self.active]
        factor = np.linalg.cholesky(square + 1e-10 * np.trace(square) / size * np.eye(size)).T
        target = np.linalg.solve(factor.T, self.correlations[self.active])
        with config_context(assume_finite=True, skip_parameter_validation=True):
            _, coefficients, _ = enet_path(
                factor, target, l1_ratio=1.0, alphas=[alpha * self.count / size], precompute=False,
                coef_init=self.estimate[self.active], check_input=False, tol=1e-10,
            )  # fmt: skip
        self.estimate[self.active] = coefficients[:, 0]
