"""Follow a noisy leader over doubling epochs: what RNM-FTNL and the naive FTNL share.

Full information: epoch s has 2^s rounds, epoch 0 plays the first action, and epoch s + 1 plays
argmax_j (rewards of j in epoch s + Laplace noise): one Binomial per action and epoch.

Long epochs all but surely find the best action. Once the chance that any later one errs is below
2^-63, less than the 53 bits of our uniforms resolve, nothing is drawn any more.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, laplace
from dpbandits.stochastic.engine.play import diary_of, play


@jit
def simulate_epochs(world, diaries, states, noise):
    sure = sure_length(world.gaps, noise)
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), states[run], noise, sure)


@jit
def _one(world, diary, stream, noise, sure):
    best = np.argmin(world.gaps)
    arm, t, length = 0, 0, 1
    while t < world.horizon:
        last = min(t + length, world.horizon)
        play(world, diary, arm, t, last)
        t = last
        if t < world.horizon:
            arm = noisy_leader(stream, world.means, length, noise) if length < sure else best
        length *= 2


@jit
def sure_length(gaps, noise):
    """The first 2^s rounds after which another leader than the best has a chance below 2^-64."""
    length = 1.0
    while length < 2.0**62 and error_bound(gaps, noise, length) > 2.0**-64:
        length *= 2.0
    return length


@jit
def error_bound(gaps, noise, length):
    """A bound of P(the noisy leader after `length` rounds is not the first best action).

    To pass the best, an action must make up half its gap by rewards (Hoeffding, differences of
    range 2) or by the difference of two Laplace variables, whose tail is (2 + x/b) exp(-x/b)/4.
    """
    best, chance = np.argmin(gaps), 0.0
    for j in range(len(gaps)):
        if j != best:
            half = 0.5 * gaps[j] * length
            chance += math.exp(-0.25 * gaps[j] * half)
            if noise > 0.0:
                chance += 0.25 * (2.0 + half / noise) * math.exp(-half / noise)
    return chance


@jit
def noisy_leader(stream, means, length, noise):
    """argmax of Binomial(length, mean) + Lap(noise), the first of equals."""
    arm, best = 0, -math.inf
    for j in range(len(means)):
        total = binomial(stream, length, means[j]) + laplace(stream, noise)
        if total > best:
            arm, best = j, total
    return arm
