"""dp-signs with the chosen arms' rows alone drawn in full, and not kept: only their signs count."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.sparse import dp_signs
from dpbandits.sparse.engine import fliphat
from dpbandits.sparse.engine.rows import add_regression, colour, neighbours
from dpbandits.sparse.problem import SparseSetting


class Rows:
    """n rows of N(0, Sigma) given their coordinates at `where` (`known`: n x len(where))."""

    def __init__(self, setting: SparseSetting, rng, where: np.ndarray, known: np.ndarray):
        self.setting, self.rng, self.where, self.known = setting, rng, where, known

    def times(self, theta: np.ndarray) -> np.ndarray:
        return self.known @ theta[self.where]

    def sign_sums(self, signs: np.ndarray) -> np.ndarray:
        """sign(X)'signs; the other coordinates are drawn here, so ask once."""
        return _sign_sums(*self._law(), signs)

    def whole(self) -> np.ndarray:
        """X, drawn here: ask once."""
        return _whole(*self._law())

    def _law(self):
        rng = np.random.Generator(np.random.SFC64(self.rng.integers(0, 2**63)))  # faster
        d, rho = self.setting.d, self.setting.rho
        return rng, rho, self.where, self.known, neighbours(self.where, d, rho)


def play(setting: SparseSetting, rng, estimate, n: int):
    """n rounds: rows, rewards and regret."""
    episode = fliphat.play(setting, rng, estimate, n, random=estimate is None, drawn=True)
    known = np.ascontiguousarray(episode.columns.T)
    return Rows(setting, rng, episode.where, known), episode.rewards, episode.regret


@jit
def _row(rng, rho, where, known, rule):
    place, left, right = rule
    row = colour(rng.standard_normal(len(place)), rho)
    add_regression(row, known - row[where], place, left, right)
    return row


@jit
def _whole(rng, rho, where, known, rule):
    x = np.empty((len(known), len(rule[0])))
    for t in range(len(known)):
        x[t] = _row(rng, rho, where, known[t], rule)
    return x


@jit
def _sign_sums(rng, rho, where, known, rule, signs):
    out = np.zeros(len(rule[0]))
    for t in range(len(known)):
        row = _row(rng, rho, where, known[t], rule)
        for j in range(len(row)):
            out[j] += math.copysign(signs[t], signs[t] * row[j])
    return out


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return dp_signs.in_episodes(play, setting, epsilon, horizon, streams, checkpoints)
