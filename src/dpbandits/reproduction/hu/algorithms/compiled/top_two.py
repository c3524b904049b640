"""`one_run` of ../top_two.py, which says what it is."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import uniform
from dpbandits.stochastic.engine import record


@jit
def entropy(s, n):
    """n times that of the mean s/n."""
    found = 0.0
    for x in (s, n - s):
        if x > 0:
            found -= x * math.log(x / n)
    return found


@jit
def one_run(bandit, results, stream, end, delta):
    arms, t = len(bandit.means), 0
    n, s = np.zeros(arms), np.zeros(arms)
    arm = 0
    while t < bandit.horizon:
        record(bandit, results, arm, t, t + 1)
        t += 1
        n[arm] += 1
        s[arm] += uniform(stream) < bandit.means[arm]
        if t < arms:
            arm = t
            continue
        leader, least, challenger, closest = np.argmax(s / n), np.inf, -1, np.inf
        for b in range(arms):
            if b != leader:
                both = entropy(s[leader] + s[b], n[leader] + n[b])
                ratio = both - entropy(s[leader], n[leader]) - entropy(s[b], n[b])
                least = min(least, ratio)
                if ratio + math.log(n[b]) < closest:
                    challenger, closest = b, ratio + math.log(n[b])
        if t > arms and least >= math.log((1 + math.log(t)) / delta):
            end[0], end[1] = t, leader
            record(bandit, results, leader, t, bandit.horizon)
            return
        arm = leader if uniform(stream) < 0.5 else challenger
