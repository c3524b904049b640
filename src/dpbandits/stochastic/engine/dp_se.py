"""DP-SE (Sajed and Sheffet 2019) by epochs: one Binomial per arm and epoch.

The arms of an epoch are pulled in turn, which the regret at a checkpoint inside an epoch takes into
account.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.stochastic.engine.runs import private_mean, record, simulate_runs


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, 1 / epsilon)


@jit
def one_run(bandit, results, stream, noise):
    means, horizon = bandit.means, bandit.horizon
    alive = np.arange(len(means))
    estimate = np.empty(len(means))
    t, epoch = 0, 0
    while len(alive) > 1 and t < horizon:
        epoch += 1
        length = epoch_length(len(alive), epoch, 1.0 / horizon, noise)
        cycles = np.int64(math.ceil(min(length, 4.0e18 / len(alive))))
        rounds = min(cycles * len(alive), horizon - t)
        _record_in_turn(bandit, results, alive, t, rounds)
        if rounds == cycles * len(alive):
            for arm in alive:
                estimate[arm] = private_mean(stream, cycles, means[arm], noise)
            alive = survivors(alive, estimate, length, epoch, horizon, noise)
        t += rounds
    if t < horizon:
        record(bandit, results, alive[0], t, horizon)


@jit
def epoch_length(alive, epoch, beta, noise):
    """R_e: enough pulls of each of `alive` arms to see a gap of 2^-epoch."""
    gap = 2.0**-epoch
    sampling = 32.0 * math.log(8.0 * alive * epoch**2 / beta) / gap**2
    privacy = 8.0 * math.log(4.0 * alive * epoch**2 / beta) * noise / gap
    return max(sampling, privacy) + 1.0


@jit
def survivors(alive, estimate, length, epoch, horizon, noise):
    """The arms whose private mean is within 2 h_e + 2 c_e of the largest."""
    h = math.sqrt(math.log(8.0 * len(alive) * epoch**2 * horizon) / (2.0 * length))
    c = math.log(4.0 * len(alive) * epoch**2 * horizon) * noise / length
    best = estimate[alive].max()
    return alive[best - estimate[alive] <= 2.0 * h + 2.0 * c]


@jit
def _record_in_turn(bandit, results, alive, t, rounds):
    """Record that rounds t + 1..t + rounds pulled the arms in turn."""
    arms, gaps, checkpoints = len(alive), bandit.gaps, bandit.checkpoints
    so_far, at = results.so_far[0], results.next[0]
    cycle = gaps[alive].sum()
    while at < len(checkpoints) and checkpoints[at] <= t + rounds:
        done = checkpoints[at] - t
        in_part = gaps[alive[: done % arms]].sum()
        results.regret[at] = so_far + (done // arms) * cycle + in_part
        at += 1
    results.next[0] = at
    for position, arm in enumerate(alive):
        count = rounds // arms + (position < rounds % arms)
        results.pulls[arm] += count
        so_far += gaps[arm] * count
    results.so_far[0] = so_far
