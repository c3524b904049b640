"""Follow-the-Leader, skipping the rounds in which the leader cannot change.

A round changes the difference of two sums by at most 1. A leader that is m ahead is therefore
played in the next m + 1 rounds, whose rewards are one Binomial per action.
"""

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import binomial
from dpbandits.stochastic.engine.runs import record, simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return simulate_runs(one_run, setting, horizon, streams, checkpoints)


@jit
def one_run(bandit, results, stream):
    means, horizon = bandit.means, bandit.horizon
    total = np.zeros(len(means), np.int64)
    t = 0
    while t < horizon:
        arm = np.argmax(total)
        ahead = horizon
        for j in range(len(means)):
            if j != arm:  # of equals the one with the lower number leads
                ahead = min(ahead, total[arm] - total[j] - (j < arm))
        last = min(t + ahead + 1, horizon)
        record(bandit, results, arm, t, last)
        for j in range(len(means)):
            total[j] += binomial(stream, last - t, means[j])
        t = last
