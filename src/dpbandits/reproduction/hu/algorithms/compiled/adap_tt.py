"""`one_run` of ../adap_tt.py, which says what it is."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import binomial, laplace, uniform
from dpbandits.stochastic.engine import record

COIN = 0.5  # the probability of the leader


@jit
def leader_of(mean, last, plays, epsilon):
    level = math.log(plays)
    return np.argmax(mean + np.sqrt(level / (2 * last)) + level / (epsilon * last))


@jit
def challenger_of(leader, mean, counts, slack):
    gaps = (mean[leader] - mean + slack) / np.sqrt(1 / counts[leader] + 1 / counts)
    gaps[leader] = np.inf
    return np.argmin(gaps)


@jit
def proved(leader, mean, last, epsilon, delta):
    """Whether the leader beats all others."""
    level = math.log(1 / delta)
    for b in range(len(mean)):
        if b != leader:
            spread = 1 / last[leader] + 1 / last[b]
            needed = level + spread * (level / epsilon) ** 2
            needed += math.log(1 + math.log(last[leader])) + math.log(1 + math.log(last[b]))
            gap = mean[leader] - mean[b]
            if gap < 0 or gap**2 / (2 * spread) < needed:
                return False
    return True


@jit
def one_run(bandit, results, stream, end, epsilon, delta):
    arms, t = len(bandit.means), 0
    done, running = np.ones(arms), np.zeros(arms)  # plays in finished episodes; in this one
    last, mean = np.ones(arms), np.zeros(arms)  # of the last finished episode
    for j in range(min(arms, bandit.horizon)):
        record(bandit, results, j, t, t + 1)
        t += 1
        mean[j] = binomial(stream, 1, bandit.means[j]) + laplace(stream, 1 / epsilon)
    leader = leader_of(mean, last, done.sum(), epsilon)
    while t < bandit.horizon:
        if proved(leader, mean, last, epsilon, delta):
            end[0], end[1] = t, leader
            record(bandit, results, leader, t, bandit.horizon)
            return
        slack, arm = 1 / (1 + math.sqrt(done.sum())), -1
        while t < bandit.horizon and (arm < 0 or running[arm] < done[arm]):
            arm = leader
            if uniform(stream) > COIN:
                arm = challenger_of(leader, mean, done + running, slack)
            record(bandit, results, arm, t, t + 1)
            t += 1
            running[arm] += 1
        if running[arm] == done[arm]:
            total = binomial(stream, np.int64(done[arm]), bandit.means[arm])
            mean[arm] = (total + laplace(stream, 1 / epsilon)) / done[arm]
            last[arm], done[arm], running[arm] = done[arm], 2 * done[arm], 0
            leader = leader_of(mean, last, done.sum(), epsilon)
