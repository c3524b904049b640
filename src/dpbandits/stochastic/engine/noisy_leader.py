"""Full information in epochs, as FTNL and RNM-FTNL: a noisy leader of the epoch before.

Round 1 (epoch 0) plays the first action, and an epoch plays argmax_j (rewards of j in the epoch
before + noise): one Binomial per action and epoch. `Rule` says which noise, how fast epochs grow,
and whether their lengths or what they use of the epoch before are drawn (without data).

Long epochs all but surely find the best action. Once the chance that any later one errs is below
2^-63, less than the 53 bits of our uniforms resolve, nothing is drawn any more.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import exponential, laplace, uniform
from dpbandits.core.source import words_of
from dpbandits.stochastic.engine.kept_binomials import draw, row_of
from dpbandits.stochastic.engine.play import diary_of, play

LAPLACE, EXPONENTIAL, GUMBEL = 0, 1, 2
EPOCHS = 64  # more than there are, growing by 2 or e each


class Rule(NamedTuple):
    noise: int
    scale: float
    growth: float = 2.0  # of epochs
    phase: bool = False  # epochs have floor(growth^(r + V)) rounds, V uniform on (0, 1)
    prefix: bool = False  # the leader of a random prefix, at least half of the epoch before


@jit
def simulate_epochs(world, diaries, states, rule, laws):
    sure = sure_length(world.gaps, rule.scale)
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]), rule, sure, laws)


@jit
def _one(world, diary, stream, rule, sure, laws):
    best = np.argmin(world.gaps)
    arm, t, row = 0, 0, 0
    size = rule.growth ** uniform(stream) if rule.phase else 1.0
    while t < world.horizon:
        length = np.int64(size)
        last = min(t + length, world.horizon)
        play(world, diary, arm, t, last)
        t = last
        if t < world.horizon:
            half = length // 2 if rule.prefix else 0
            used = length - np.int64(uniform(stream) * half) if half > 0 else length
            arm = best
            if used < sure:
                arm = noisy_leader(stream, world.means, laws, row, used, rule.noise, rule.scale)
        size *= rule.growth
        row += len(world.means)


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
def noisy_leader(stream, means, laws, first, length, noise, scale):
    """argmax of Binomial(length, mean) + noise, the first of equals; laws from row `first` on."""
    arm, best, row = 0, -math.inf, first
    for j in range(len(means)):
        row = row_of(laws, first, length, means, j, row)
        total = draw(stream, laws, row)
        if noise == LAPLACE:
            total += laplace(stream, scale)
        elif noise == EXPONENTIAL:
            total += scale * exponential(stream)
        else:
            total -= scale * math.log(exponential(stream))
        if total > best:
            arm, best = j, total
    return arm
