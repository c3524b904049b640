"""Posterior mean on uniform samples, then its argmax: USCA's non-private twin (US eq. (2))."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.kernel.engine import estimator
from dpbandits.kernel.engine.runs import all_runs
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import exponential_mechanism


@algorithm("posterior-mean", setting=KernelSetting, source="US eq. (2); non-private")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = problem_of(setting)

    def runs(rngs, t):
        return [outcome(mean) for mean in uniform_posterior_means(problem, rngs, t)]

    def outcome(mean):
        output = exponential_mechanism(mean.reshape(problem.values.shape), np.inf, 1.0)
        error = np.abs(mean - problem.values.reshape(-1)).max()
        return {"regret": problem.error_rate(output), "estimation_error": error}

    return all_runs(runs, streams, checkpoints)


def uniform_posterior_means(problem, rngs, rounds: int) -> np.ndarray:
    """mu_T on all cells after `rounds` uniform queries, of each run."""
    return estimator.posterior_means(problem.setting, [problem.observe(r, rounds) for r in rngs])
