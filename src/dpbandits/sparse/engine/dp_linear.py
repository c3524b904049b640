"""dp-linear batch by batch: theta stays as it is within one, so that its sums are products.

The sums are not rounded to the grid, which changes them by less than their noise's millionth part.
"""

from functools import partial

import numpy as np

from dpbandits.core.port import SimulatedNoise
from dpbandits.sparse.dp_linear import Dense, scaled, start
from dpbandits.sparse.problem import contexts, reward_noise
from dpbandits.sparse.recorder import cumulative

MOST_NUMBERS = 2**22  # of the contexts that are drawn at once


def play_batches(learner: Dense, horizon: int, draw) -> np.ndarray:
    """The regret of each round; draw(n) -> (contexts, means n x K, rewards in [0, 1] of arms)."""
    own, regret, t = learner.setting, np.empty(horizon), 0
    block = max(1, MOST_NUMBERS // (own.d * (own.arms if own.shared else 1)))
    while t < horizon:
        n = min(learner.length - learner.n, horizon - t, block)
        x, means, rewards_of = draw(n)
        rounds = np.arange(n)
        if learner.episode:
            played = np.argmax(learner.index(x), axis=1)
        else:
            played = learner.rng.integers(own.arms, size=n)
        regret[t : t + n] = means.max(axis=1) - means[rounds, played]
        y = rewards_of(played) - 0.5
        z = learner.features(x[rounds, played] if own.shared else x)
        t, learner.n = t + n, learner.n + n
        learner.acted += n
        for i in range(len(learner.sums)):
            own_rounds = slice(None) if own.shared else played == i
            learner.sums[i] += learner.summed(z[own_rounds], y[own_rounds])
        if learner.n == learner.length:
            learner.release()
    return regret


def regret_of_run(setting, epsilon, horizon, rng) -> np.ndarray:
    def draw(n):
        x = contexts(setting, rng, n)
        means = x @ setting.signal

        def rewards_of(played):
            return scaled(setting, means[np.arange(n), played] + reward_noise(setting, rng, n))

        return x, means, rewards_of

    return play_batches(start(setting, epsilon, SimulatedNoise(rng), rng), horizon, draw)


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return cumulative(partial(regret_of_run, setting, epsilon, horizon), streams, checkpoints)
