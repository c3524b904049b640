"""USCA: uniform sampling with covariance approximation (US Algorithm 1), as printed, on a grid."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.divergences import log_normalise
from dpbandits.core.trajectories import Trajectories
from dpbandits.kernel.engine.estimator import draw_fresh, estimate
from dpbandits.kernel.engine.information import information_gain
from dpbandits.kernel.engine.runs import each_run
from dpbandits.kernel.problem import KernelSetting, problem_of

TIE = 1e-11  # of the largest score: symmetric cells tie, and their scores differ by rounding


@algorithm("usca", setting=KernelSetting, source="US Algorithm 1", claim="US-T7.3")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Regret at t = the error rate of a separate full run with T = t."""
    problem = problem_of(setting)
    gains = information_gain(setting, int(checkpoints[-1]))

    def run(rng, t):
        cells, rewards = problem.observe(rng, t)
        fresh, multiple = draw_fresh(problem, rng, t)
        found = estimate(setting, cells, rewards, fresh, multiple)
        output = exponential_mechanism(
            found.mean.reshape(problem.values.shape),
            epsilon,
            2.0 * setting.bound * found.largest_variance,
        )
        return {
            "regret": problem.error_rate(output),
            "estimation_error": np.abs(found.mean - problem.values.reshape(-1)).max(),
            "largest_variance": found.largest_variance,
            "information_gain": gains[t - 1],
            "certified_error": found.error,
        }

    curves = each_run(run, streams, checkpoints)
    return Trajectories(curves.pop("regret"), curves=curves)


def first_best(score: np.ndarray) -> np.ndarray:
    """The first action of the highest score, per column; what rounding parts counts as equal."""
    best = score.max(axis=0)
    return np.argmax(score >= best - TIE * np.abs(score).max(), axis=0)


def log_output(score: np.ndarray, epsilon: float, sensitivity: float) -> np.ndarray:
    """Def. 3.2: log-density proportional to eps score/(2 sensitivity), per column (context)."""
    if np.isinf(epsilon):
        return np.where(np.arange(len(score))[:, None] == first_best(score), 0.0, -np.inf)
    behind = score - score.max(axis=0)
    with np.errstate(over="ignore"):  # to -inf, at an enormous epsilon
        return log_normalise(epsilon * behind.T / (2.0 * sensitivity)).T


def exponential_mechanism(score: np.ndarray, epsilon: float, sensitivity: float) -> np.ndarray:
    """The output's probabilities, (actions, contexts)."""
    return np.exp(log_output(score, epsilon, sensitivity))
