"""Contextual GP-UCB, non-private: the posterior's optimistic action, updated in every round."""

import math

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.kernel.information import SequentialPosterior
from dpbandits.kernel.problem import KernelSetting, generator_of, problem_of, separate_runs
from dpbandits.kernel.usca import exponential_mechanism, first_best

SOURCE = "Srinivas et al. 2010, Krause and Ong 2011; beta_t = 2 ln(cells t^2 pi^2/0.6)"


@algorithm("gp-ucb", setting=KernelSetting, source=SOURCE)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Output after t rounds: the argmax of the posterior mean at the observed context."""
    problem = problem_of(setting)

    def run(seed, t):
        rng = generator_of("gp-ucb", problem, t, seed)
        mean = learn(problem, SequentialPosterior(setting), rng, t)
        output = exponential_mechanism(mean.reshape(problem.values.shape), np.inf, 1.0)
        return {"regret": problem.error_rate(output)}

    return separate_runs(run, streams, checkpoints)


def learn(problem, posterior, rng: np.random.Generator, rounds: int) -> np.ndarray:
    """The posterior mean on all cells after `rounds` rounds, by rank-one updates."""
    setting = problem.setting
    contexts = rng.choice(setting.contexts, size=rounds, p=problem.context_law)
    noise = setting.noise * (2.0 * rng.random(rounds) - 1.0)
    truth = problem.values.reshape(-1)
    mean = np.zeros(len(truth))
    for t, context in enumerate(contexts, start=1):
        beta = 2.0 * math.log(setting.cells * t * t * math.pi**2 / 0.6)
        cells = slice(context, None, setting.contexts)  # of this context, by action
        index = mean[cells] + np.sqrt(beta * posterior.variance[cells].clip(min=0.0))
        cell = int(first_best(index)) * setting.contexts + context
        column, scale = posterior.observe(cell)
        mean += column * (scale * (truth[cell] + noise[t - 1] - mean[cell]))
    return mean
