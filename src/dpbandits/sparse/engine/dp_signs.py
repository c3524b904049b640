"""dp-signs with the chosen arms' rows alone drawn in full, and not kept: only their signs count."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import normals
from dpbandits.core.streams import Streams
from dpbandits.sparse import dp_signs
from dpbandits.sparse.engine import fliphat
from dpbandits.sparse.engine.rows import add_regression, colour, neighbours
from dpbandits.sparse.problem import SparseSetting


class Rows:
    """n rows of N(0, Sigma) given their coordinates at `where` (`known`: n x len(where))."""

    def __init__(self, stream, rho: float, d: int, where: np.ndarray, known: np.ndarray):
        self.where, self.known = where, known
        self.law = stream, rho, where, known, neighbours(where, d, rho)

    def times(self, theta: np.ndarray) -> np.ndarray:
        return self.known @ theta[self.where]

    def sign_sums(self, signs: np.ndarray) -> np.ndarray:
        """sign(X)'signs; the other coordinates are drawn here, so ask once."""
        return _sign_sums(*self.law, signs)

    def whole(self) -> np.ndarray:
        """X, drawn here: ask once."""
        return _whole(*self.law)


def play(setting: SparseSetting, rng, estimate, n: int):
    """n rounds: rows, rewards and regret."""
    stream = Streams(int(rng.integers(0, 2**63)), (0,)).states()[0]
    theta = np.zeros(setting.d) if estimate is None else estimate
    problem = fliphat.problem_of(setting, math.inf)
    episode = fliphat.play(stream, problem, theta, n, estimate is None, True)
    known = np.ascontiguousarray(episode.columns.T)
    rows = Rows(stream, setting.rho, setting.d, episode.where, known)
    return rows, episode.rewards, episode.regret


@jit
def _row(stream, rho, where, known, rule):
    place, left, right = rule
    row = colour(normals(stream, len(place)), rho)
    add_regression(row, known - row[where], place, left, right)
    return row


@jit
def _whole(stream, rho, where, known, rule):
    x = np.empty((len(known), len(rule[0])))
    for t in range(len(known)):
        x[t] = _row(stream, rho, where, known[t], rule)
    return x


@jit
def _sign_sums(stream, rho, where, known, rule, signs):
    out = np.zeros(len(rule[0]))
    for t in range(len(known)):
        row = _row(stream, rho, where, known[t], rule)
        for j in range(len(row)):
            out[j] += math.copysign(signs[t], signs[t] * row[j])
    return out


def simulate(setting, epsilon, horizon, streams, checkpoints):
    return dp_signs.in_episodes(play, setting, epsilon, horizon, streams, checkpoints)
