"""Thompson sampling with Beta(1, 1) priors (HU Algorithm 2), skipping quiet rounds by thinning.

The posteriors of all arms but the leader stay while the leader is played (see `thinning`). The
leader's lower tail is largest if all its rewards in the block are 0, and blocks are short enough
(about sqrt(n)/2 pulls) for this to cost little. Quiet rounds' rewards are one Binomial draw.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import binomial, exponential
from dpbandits.stochastic.engine.beta_tails import ALWAYS, new_curves, set_curve
from dpbandits.stochastic.engine.runs import record, simulate_runs
from dpbandits.stochastic.engine.thinning import Block, Posteriors, level_between, play_round

BUSY = 0.7  # candidates per round from which a block is busy


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return simulate_runs(one_run, setting, horizon, streams, checkpoints)


@jit
def one_run(bandit, results, stream):
    means, horizon, pulls = bandit.means, bandit.horizon, results.pulls
    posteriors = Posteriors(np.zeros(len(means)), np.zeros(len(means)))  # successes, failures
    good, bad = posteriors
    curves = new_curves(len(means))
    t = 0
    while t < horizon:
        leader = np.argmax((good + 1.0) / (good + bad + 2.0))
        longest = min(horizon - t, 1 + np.int64(0.5 * math.sqrt(pulls[leader])))
        block = open_block(posteriors, leader, longest, curves)
        distance = exponential(stream)
        quiet = 0
        if not block.busy:
            far = distance >= longest * block.rate
            quiet = longest if far else np.int64(distance / block.rate)
        if quiet > 0:
            record(bandit, results, leader, t, t + quiet)
            _learn(stream, posteriors, leader, quiet, means[leader])
            t += quiet
        if quiet < longest:
            arm, _ = play_round(stream, posteriors, block, distance - quiet * block.rate)
            record(bandit, results, arm, t, t + 1)
            _learn(stream, posteriors, arm, 1, means[arm])
            t += 1


@jit
def _learn(stream, posteriors, arm, count, mean):
    wins = binomial(stream, count, mean)
    posteriors.k[arm] += wins
    posteriors.n[arm] += count - wins


@jit
def open_block(posteriors, leader, length, curves):
    """Level and curves of a block; in a busy one all arms are sampled in every round."""
    k, n = posteriors.k.copy(), posteriors.n.copy()
    n[leader] += length  # the leader's posterior if all its rewards in the block are 0
    mean = (k + 1.0) / (k + n + 2.0)
    deviation = np.sqrt(mean * (1.0 - mean) / (k + n + 3.0))
    level = level_between(mean, deviation, leader)
    rate = 0.0
    for j in range(len(k)):
        if j == leader:
            rate += set_curve(curves, j, n[j], k[j], 1.0 - level)
        else:
            rate += set_curve(curves, j, k[j], n[j], level)
    # below the mean of every posterior of the block, the leader's worst one dominates
    if level < mean[leader] and rate < BUSY:
        return Block(leader, level, False, rate, curves)
    curves.rate[:] = ALWAYS
    return Block(leader, level, True, 0.0, curves)
