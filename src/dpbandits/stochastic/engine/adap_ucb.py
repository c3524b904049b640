"""AdaP-UCB (Azize and Basu 2022), and the episodes that it shares with AdaP-KLUCB.

An episode plays one arm until its total count has doubled, and forgets what came before: indices
are computed only when an episode starts, so there are about K log2 T decisions in a run.
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
    """AdaP-KLUCB if `kl`, else AdaP-UCB; `noise` is the Laplace scale 1/epsilon."""
    arms, pulls = len(bandit.means), results.pulls
    n = np.ones(arms, np.int64)  # samples of each arm's last episode
    mean = np.empty(arms)  # private means of these samples
    t = 0
    while t < bandit.horizon:
        if t < arms:
            arm, count = t, 1
        else:
            level = alpha * math.log(t + 1)
            if kl:
                centre = np.minimum(np.maximum(mean + level * noise / n, 0.0), 1.0)
                arm = leader(centre, level / n)
            else:  # Eq. 7
                sampling = 0.5 * alpha * math.log(2.0 * (t + 1))
                arm = np.argmax(mean + np.sqrt(sampling / n) + level * noise / n)
            count = pulls[arm]
        last = min(t + count, bandit.horizon)
        record(bandit, results, arm, t, last)
        n[arm] = count
        mean[arm] = private_mean(stream, count, bandit.means[arm], noise)
        t = last
