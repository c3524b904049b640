"""Posterior mean on uniform samples, then its argmax: USCA's non-private twin (US eq. (2))."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.kernel.engine import estimator
from dpbandits.kernel.engine.runs import each_run
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import exponential_mechanism


@algorithm("posterior-mean", setting=KernelSetting, source="US eq. (2); non-private")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = problem_of(setting)

    def run(rng, t):
        mean = uniform_posterior_mean(problem, rng, t)
        output = exponential_mechanism(mean.reshape(problem.values.shape), np.inf, 1.0)
        error = np.abs(mean - problem.values.reshape(-1)).max()
        return {"regret": problem.error_rate(output), "estimation_error": error}

    return each_run(run, streams, checkpoints)


def uniform_posterior_mean(problem, rng, rounds: int) -> np.ndarray:
    """mu_T on all cells after `rounds` uniform queries."""
    cells, rewards = problem.observe(rng, rounds)
    counts, sums = estimator.tally(problem.setting.cells, cells, rewards)
    return estimator.posterior_mean(problem.setting, counts, sums)
