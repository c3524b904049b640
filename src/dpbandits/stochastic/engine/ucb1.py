"""UCB1 and KL-UCB, in blocks of rounds in which the leader cannot change (not private).

The leader's index is at its lowest when all its next rewards are 0, the others' indices at their
highest in the block's last round. If it leads even then, the block is played at once, its rewards
one Binomial. Blocks grow with the leader's pulls, so late rounds are cheap.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit, jit_all
from dpbandits.core.variates import binomial
from dpbandits.stochastic import divergences
from dpbandits.stochastic.engine.runs import record, simulate_runs

leader, upper_bound = jit_all(divergences.leader), jit_all(divergences.kl_bound)
exceeds = jit_all(divergences.exceeds)


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, False)


@jit
def one_run(bandit, results, stream, kl):
    arms, pulls = len(bandit.means), results.pulls
    total = np.zeros(arms, np.int64)
    t, block = 0, 1
    while t < bandit.horizon:
        last = t + 1
        if t < arms:
            arm = t
        else:
            level = math.log(t + 1)
            if kl:
                arm = leader(total / pulls, level / pulls)
            else:
                arm = np.argmax(total / pulls + np.sqrt(2.0 * level / pulls))
            block = min(2 * block, bandit.horizon - t)
            while block > 1 and not is_safe(kl, total, pulls, arm, t + 1, t + block):
                block //= 2
            last = t + block
        record(bandit, results, arm, t, last)
        total[arm] += binomial(stream, last - t, bandit.means[arm])
        t = last


@jit
def is_safe(kl, total, pulls, arm, first, last):
    """Whether `arm` leads in rounds first..last, even if all its rewards are 0 (margin: 1e-12)."""
    early, late = math.log(first), math.log(last) * (1.0 + 1e-12)
    count = pulls[arm] + last - first  # before round `last`
    worst = total[arm] / count
    bound = upper_bound(worst, early / count) if kl else worst + math.sqrt(2.0 * early / count)
    for j in range(len(total)):
        if j == arm:
            continue
        centre, level = total[j] / pulls[j], late / pulls[j]
        if kl:
            if exceeds(centre, level, bound):
                return False
        elif centre + math.sqrt(2.0 * level) >= bound:
            return False
    return True
