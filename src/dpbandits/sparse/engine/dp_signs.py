"""dp-signs with the chosen arms' rows alone drawn in full, and not kept: only their signs count."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.sparse import dp_signs
from dpbandits.sparse.engine.fliphat import draw_at
from dpbandits.sparse.engine.rows import add_regression, colour, neighbours
from dpbandits.sparse.problem import SparseSetting, reward_noise


class Rows:
    """n rows of N(0, Sigma) given their coordinates at `where` (`known`: n x len(where))."""

    def __init__(self, setting: SparseSetting, rng, where: np.ndarray, known: np.ndarray):
        self.setting, self.rng, self.where, self.known = setting, rng, where, known

    def times(self, theta: np.ndarray) -> np.ndarray:
        return self.known @ theta[self.where]

    def sign_sums(self, signs: np.ndarray) -> np.ndarray:
        """sign(X)'signs; the other coordinates are drawn here, so ask once."""
        rng = np.random.Generator(np.random.SFC64(self.rng.integers(0, 2**63)))  # faster
        rule = neighbours(self.where, self.setting.d, self.setting.rho)
        return _sign_sums(rng, self.setting.rho, self.where, self.known, signs, rule)


def play(setting: SparseSetting, rng, estimate, n: int):
    """n rounds: rows, rewards and regret."""
    theta = np.zeros(setting.d) if estimate is None else estimate
    where = np.flatnonzero((setting.signal != 0) | (theta != 0))
    x = draw_at(setting, rng, where, n)
    scores = np.tensordot(setting.signal[where], x, 1)
    if estimate is None:
        arms = rng.integers(0, setting.arms, n)
    else:
        arms = np.argmax(np.tensordot(theta[where], x, 1), axis=1)
    chosen = np.arange(n), arms
    rows = Rows(setting, rng, where, np.ascontiguousarray(x[:, *chosen].T))
    rewards = scores[chosen] + reward_noise(setting, rng, n)
    return rows, rewards, scores.max(axis=1) - scores[chosen]


@jit
def _sign_sums(rng, rho, where, known, signs, rule):
    place, left, right = rule
    out = np.zeros(len(place))
    for t in range(len(known)):
        row = colour(rng.standard_normal(len(place)), rho)
        add_regression(row, known[t] - row[where], place, left, right)
        for j in range(len(row)):
            out[j] += math.copysign(signs[t], signs[t] * row[j])
    return out


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return dp_signs.in_episodes(play, setting, epsilon, horizon, streams, checkpoints)
