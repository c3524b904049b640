"""USCA: uniform sampling with covariance approximation (US Algorithm 1) on a grid.

`printed` draws the output with density exp(eps mubar/(2m)), m = 2B sup sigmabar^2. One record moves
mubar almost only to one side, so that about eps/2 is lost; `exact` takes the m that loses eps
(docs/proofs/US.md, Section 7): B times the largest range over actions of phi(x,c)' Z~^-1 phi(v).
Both depend on Z only, not on the records.
"""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.divergences import log_normalise
from dpbandits.core.notions import PURE_JOINT
from dpbandits.kernel.engine.estimator import draw_fresh, estimates
from dpbandits.kernel.engine.information import information_gain
from dpbandits.kernel.engine.runs import all_runs
from dpbandits.kernel.problem import KernelSetting, UscaSetting, problem_of

TIE = 1e-11  # of the largest score: symmetric cells tie, and their scores differ by rounding


@algorithm("usca", setting=UscaSetting, source="US Algorithm 1", claim="US-T7.3", notion=PURE_JOINT)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Regret at t = the error rate of a separate full run with T = t."""
    problem = problem_of(setting)
    gains = information_gain(setting, int(checkpoints[-1]))

    exact = setting.calibration == "exact" and not np.isinf(epsilon)

    def runs(rngs, t):
        drawn = [(problem.observe(rng, t), *draw_fresh(problem, rng, t)) for rng in rngs]
        observed, fresh, multiples = zip(*drawn, strict=True)
        found = estimates(setting, observed, fresh, multiples[0], with_range=exact)
        return [outcome(one) | {"information_gain": gains[t - 1]} for one in found]

    def outcome(found):
        scale = (
            exact_scale(setting, found.largest_range)
            if exact
            else printed_scale(setting, found.largest_variance)
        )
        output = exponential_mechanism(found.mean.reshape(problem.values.shape), epsilon, scale)
        return {
            "regret": problem.error_rate(output),
            "estimation_error": np.abs(found.mean - problem.values.reshape(-1)).max(),
            "largest_variance": found.largest_variance,
            "certified_error": found.error,
        }

    return all_runs(runs, streams, checkpoints)


def printed_scale(setting: KernelSetting, largest_variance: float) -> float:
    return 2.0 * setting.bound * float(largest_variance)


def exact_scale(setting: KernelSetting, largest_range: float) -> float:
    return setting.bound * float(largest_range)


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
