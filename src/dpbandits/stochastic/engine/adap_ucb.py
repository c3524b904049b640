"""AdaP-UCB (Azize and Basu 2022), and the episodes that it shares with AdaP-KLUCB.

An episode plays one arm until its total count has doubled, and forgets what came before: indices
are asked for only when an episode starts, so there are about K log2 T decisions in a run.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.stochastic.engine.bernoulli_kl import leader
from dpbandits.stochastic.engine.runs import private_mean, record, simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    parameters = (False, setting.alpha, 1 / epsilon)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, *parameters)


@jit
def one_run(bandit, results, stream, kl, alpha, noise):
    arms, pulls = len(bandit.means), results.pulls
    size = np.ones(arms, np.int64)  # n_a: samples of the last episode
    mean = np.empty(arms)  # private mean of the last episode
    t = 0
    while t < bandit.horizon:
        if t < arms:
            arm, count = t, 1
        else:
            if kl:
                level = alpha * math.log(t + 1)
                arm = leader(clipped_means(mean, size, level * noise), level / size)
            else:
                arm = ucb_leader(mean, size, alpha, t + 1, noise)
            count = pulls[arm]
        last = min(t + count, bandit.horizon)
        record(bandit, results, arm, t, last)
        size[arm] = count
        mean[arm] = private_mean(stream, count, bandit.means[arm], noise)
        t = last


@jit
def ucb_leader(mean, size, alpha, t, noise):
    """AdaP-UCB, Eq. 7: mean + sqrt(alpha ln(2t)/(2n)) + alpha ln t/(eps n)."""
    sampling = 0.5 * alpha * math.log(2.0 * t)
    privacy = alpha * math.log(t) * noise
    return np.argmax(mean + np.sqrt(sampling / size) + privacy / size)


@jit
def clipped_means(mean, size, bonus):
    """AdaP-KLUCB: clip(mean + alpha ln t/(eps n)), with bonus = alpha ln t/eps."""
    return np.minimum(np.maximum(mean + bonus / size, 0.0), 1.0)
