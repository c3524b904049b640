"""The episodes that AdaP-UCB and AdaP-KLUCB share (Azize and Basu 2022).

An episode plays one arm until its total count has doubled, and forgets what came before: indices
are asked for only when an episode starts, so there are about K log2 T decisions in a run.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial, laplace
from dpbandits.core.source import words_of
from dpbandits.stochastic.engine.bernoulli_kl import leader
from dpbandits.stochastic.engine.play import diary_of, play


@jit
def simulate_episodes(world, diaries, states, kl, alpha, noise):
    for run in range(len(states)):
        _one(world, diary_of(diaries, run), words_of(states[run]), kl, alpha, noise)


@jit
def _one(world, diary, stream, kl, alpha, noise):
    arms, pulls = len(world.means), diary.pulls
    size = np.ones(arms, np.int64)  # n_a: samples of the last episode
    mean = np.empty(arms)  # private mean of the last episode
    centres, levels = np.empty(arms), np.empty(arms)
    t = 0
    while t < world.horizon:
        if t < arms:
            arm, count = t, 1
        else:
            if kl:
                level = alpha * math.log(t + 1)
                arm = _kl_leader(mean, size, level, noise, centres, levels)
            else:
                arm = _leader(mean, size, alpha, t + 1, noise)
            count = pulls[arm]
        last = min(t + count, world.horizon)
        play(world, diary, arm, t, last)
        size[arm] = count
        mean[arm] = (binomial(stream, count, world.means[arm]) + laplace(stream, noise)) / count
        t = last


@jit
def _leader(mean, size, alpha, t, noise):
    """AdaP-UCB, Eq. 7: mean + sqrt(alpha ln(2t)/(2n)) + alpha ln t/(eps n)."""
    sampling = 0.5 * alpha * math.log(2.0 * t)
    privacy = alpha * math.log(t) * noise
    arm, best = 0, -math.inf
    for j in range(len(mean)):
        value = mean[j] + math.sqrt(sampling / size[j]) + privacy / size[j]
        if value > best:
            arm, best = j, value
    return arm


@jit
def _kl_leader(mean, size, level, noise, centres, levels):
    """AdaP-KLUCB: max{q: n kl(m, q) <= alpha ln t}, m = clip(mean + alpha ln t/(eps n))."""
    for j in range(len(mean)):
        centres[j] = min(max(mean[j] + level * noise / size[j], 0.0), 1.0)
        levels[j] = level / size[j]
    return leader(centres, levels)
