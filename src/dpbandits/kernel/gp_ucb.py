"""Contextual GP-UCB, non-private: the posterior's optimistic action, updated in every round.

Its kernel is the factor's: exact up to 1100 cells and for smooth kernels, else the projection on a
regular sub-grid of cells (rank-one updates in every round need finite features).
"""

import math

import numpy as np

from dpbandits.core.registry import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.kernel._features import grid_factor
from dpbandits.kernel._runs import each_run
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import exponential_mechanism, first_best

SOURCE = "Srinivas et al. 2010, Krause and Ong 2011; beta_t = 2 ln(cells t^2 pi^2/0.6)"


@algorithm("gp-ucb", setting=KernelSetting, source=SOURCE)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Output after t rounds: the argmax of the posterior mean at the observed context."""
    problem = problem_of(setting)
    rows = grid_factor(setting).rows

    def run(rng, t):
        mean = learn(problem, rows, rng, t)
        output = exponential_mechanism(mean.reshape(problem.values.shape), np.inf, 1.0)
        return {"regret": problem.error_rate(output)}

    curves = each_run(run, streams, checkpoints)
    return Trajectories(curves.pop("regret"), curves=curves)


def learn(problem, rows: np.ndarray, rng: np.random.Generator, rounds: int) -> np.ndarray:
    """The posterior mean on all cells after `rounds` rounds, by rank-one updates.

    posterior: covariance of the feature weights; mean and variance are kept on all cells.
    """
    setting = problem.setting
    contexts = rng.choice(setting.contexts, size=rounds, p=problem.context_law)
    noise = setting.noise * (2.0 * rng.random(rounds) - 1.0)
    truth = problem.values.reshape(-1)
    posterior = np.eye(rows.shape[1])
    mean, variance = np.zeros(len(rows)), np.einsum("ij,ij->i", rows, rows)
    for t, context in enumerate(contexts, start=1):
        beta = 2.0 * math.log(setting.cells * t * t * math.pi**2 / 0.6)
        here = slice(context, None, setting.contexts)  # the cells of this context, by action
        optimism = mean[here] + np.sqrt(beta * variance[here].clip(min=0.0))
        cell = int(first_best(optimism)) * setting.contexts + context
        direction = posterior @ rows[cell]
        column = rows @ direction  # posterior covariance of every cell with the queried one
        scale = 1.0 / (setting.tau + column[cell])
        mean += column * (scale * (truth[cell] + noise[t - 1] - mean[cell]))
        variance -= scale * column * column
        posterior -= np.outer(scale * direction, direction)
    return mean
