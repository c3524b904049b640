"""Posterior mean on uniform samples, then its argmax: USCA's non-private twin (US eq. (2))."""

from functools import lru_cache

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.kernel import estimator
from dpbandits.kernel.problem import KernelSetting, generator_of, problem_of, separate_runs
from dpbandits.kernel.usca import exponential_mechanism


@algorithm("posterior-mean", setting=KernelSetting, source="US eq. (2); non-private")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = problem_of(setting)

    def run(seed, T):
        mu = uniform_posterior_mean(setting, T, seed)
        output = exponential_mechanism(mu, np.inf, 1.0)
        error = np.abs(mu - problem.values).max()
        return {"regret": problem.error_rate(output), "estimation_error": error}

    return separate_runs(run, streams, checkpoints)


@lru_cache(maxsize=4096)  # 20 MB with 25 x 25 cells
def uniform_posterior_mean(setting: KernelSetting, T: int, seed: int) -> np.ndarray:
    """mu_T, (actions, contexts), after T uniform queries: the same for every epsilon."""
    problem = problem_of(setting)
    observed = problem.observe(generator_of("posterior-mean", problem, T, seed), T)
    mean = estimator.posterior_mean(setting, *observed)
    return mean.reshape(problem.values.shape)
