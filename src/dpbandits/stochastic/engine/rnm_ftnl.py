"""RNM-FTNL (HU Algorithm 4), its private variants and FTNL: a noisy leader of the epoch before.

Round 1 (epoch 0) plays the first action, and an epoch plays argmax_j (rewards of j in the epoch
before + noise): one Binomial per action and epoch.

Long epochs almost surely find the best action. Once the chance that any later one errs is below
2^-63, less than the 53 bits of our uniforms resolve, nothing is drawn any more.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, exponential, laplace, uniform
from dpbandits.stochastic.engine.runs import record, simulate_runs
from dpbandits.stochastic.rnm_ftnl import variant_of


def simulate(setting, epsilon, horizon, streams, checkpoints):
    variant = variant_of(setting.variant, epsilon)
    return simulate_epochs(variant, setting, horizon, streams, checkpoints)


def simulate_epochs(variant, setting, horizon, streams, checkpoints):
    sure = sure_length(setting.gaps, variant.scale)
    return simulate_runs(one_run, setting, horizon, streams, checkpoints, variant, sure)


@jit
def one_run(bandit, results, stream, variant, sure):
    best = np.argmin(bandit.gaps)
    arm, t = 0, 0
    size = variant.growth ** uniform(stream) if variant.phase else 1.0
    while t < bandit.horizon:
        length = np.int64(size)
        last = min(t + length, bandit.horizon)
        record(bandit, results, arm, t, last)
        t = last
        if t < bandit.horizon:
            half = length // 2 if variant.prefix else 0
            used = length - np.int64(uniform(stream) * half) if half > 0 else length
            arm = best
            if used < sure:
                arm = noisy_leader(stream, bandit.means, used, variant.noise, variant.scale)
        size *= variant.growth


@jit
def sure_length(gaps, scale):
    """The first 2^s rounds after which another leader than the best has a chance below 2^-64."""
    length = 1.0
    while length < 2.0**62 and error_bound(gaps, scale, length) > 2.0**-64:
        length *= 2.0
    return length


@jit
def error_bound(gaps, scale, length):
    """A bound of P(the noisy leader after `length` rounds is not the first best action).

    To pass the best, an action must make up half its gap by rewards (Hoeffding, differences of
    range 2) or by the difference of two noises, whose tail is (2 + x) exp(-x)/4 for Laplace at x
    scales, exp(-x)/2 for exponential and 1/(1 + exp x) for Gumbel noise: both are smaller.
    """
    best, chance = np.argmin(gaps), 0.0
    for j in range(len(gaps)):
        if j != best:
            half = 0.5 * gaps[j] * length
            chance += math.exp(-0.25 * gaps[j] * half)
            if scale > 0.0:
                chance += 0.25 * (2.0 + half / scale) * math.exp(-half / scale)
    return chance


@jit
def noisy_leader(stream, means, length, noise, scale):
    """argmax of Binomial(length, mean) + noise, the first of equals."""
    arm, best = 0, -math.inf
    for j in range(len(means)):
        total = np.float64(binomial(stream, length, means[j]))
        if noise == "laplace":
            total += laplace(stream, scale)
        elif noise == "exponential":
            total += scale * exponential(stream)
        else:
            total -= scale * math.log(exponential(stream))
        if total > best:
            arm, best = j, total
    return arm
