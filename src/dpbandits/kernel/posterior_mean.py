"""Posterior mean on uniform samples, then its argmax: USCA's non-private twin (US eq. (2))."""

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.kernel import estimator
from dpbandits.kernel.problem import KernelSetting, problem_of, separate_runs
from dpbandits.kernel.usca import exponential_mechanism


@algorithm("posterior-mean", setting=KernelSetting, source="US eq. (2); non-private")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = problem_of(setting)

    def run(rng, T):
        mu = uniform_posterior_mean(problem, rng, T)
        output = exponential_mechanism(mu, np.inf, 1.0)
        error = np.abs(mu - problem.values).max()
        return {"regret": problem.error_rate(output), "estimation_error": error}

    return separate_runs(run, streams, checkpoints)


def uniform_posterior_mean(problem, rng, T: int) -> np.ndarray:
    """mu_T, (actions, contexts), after T uniform queries."""
    mean = estimator.posterior_mean(problem.setting, *problem.observe(rng, T))
    return mean.reshape(problem.values.shape)
