"""Follow-the-Leader, skipping the rounds in which the lead cannot be lost.

A round changes the difference of two sums by at most 1. A leader that is m ahead is therefore
played in the next m + 1 rounds, whose rewards are one Binomial per action. Once the best action is
so far ahead that it ever loses its lead with a chance below 2^-64, less than the 53 bits of our
uniforms resolve, nothing is drawn any more.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial
from dpbandits.stochastic.engine.runs import record, simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    lead = sure_lead(setting.means)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, lead)


@jit
def one_run(bandit, results, stream, lead):
    means, horizon, best = bandit.means, bandit.horizon, np.argmin(bandit.gaps)
    total = np.zeros(len(means), np.int64)
    t = 0
    while t < horizon:
        arm = np.argmax(total)
        ahead = horizon
        for j in range(len(means)):
            if j != arm:  # an equal with a lower number would win the tie
                ahead = min(ahead, total[arm] - total[j] - (j < arm))
        last = horizon if arm == best and ahead >= lead else min(t + ahead + 1, horizon)
        record(bandit, results, arm, t, last)
        if last == horizon:
            return
        for j in range(len(means)):
            total[j] += binomial(stream, last - t, means[j])
        t = last


def sure_lead(means: tuple[float, ...]) -> float:
    """How far ahead of all others the best action never falls back: with a chance below 2^-64.

    A lead over one action moves up with chance p (1 - q), down with (1 - p) q; so it ever falls by
    m with the ratio's m-th power for a chance, the largest against the second best action.
    """
    second, best = sorted(means)[-2:]
    up, down = best * (1 - second), (1 - best) * second
    if best == second:
        return math.inf
    return (64 * math.log(2) + math.log(len(means))) / math.log(up / down) if down else 1.0
