"""dp-signs with whole rows drawn of the played arms alone, one after the other, and not kept.

dp-signs reads the signs of all entries of the played rows. Given the coordinates that `episodes`
drew, the rest of a row is a free draw of N(0, Sigma) moved to agree with them (fact 3 of `rows`).
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.port import SimulatedNoise
from dpbandits.core.streams import Streams
from dpbandits.core.zcdp import largest_rho
from dpbandits.sparse.dp_signs import first_episode, sign_step
from dpbandits.sparse.engine import episodes
from dpbandits.sparse.engine.rows import add_regression, normal_row, regression_on_neighbours
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.recorder import Recorder


class DrawnRows:
    """n rows of N(0, Sigma) given their coordinates at `where` (`known`: n x len(where))."""

    def __init__(self, stream, rho: float, d: int, where: np.ndarray, known: np.ndarray):
        self.where, self.known = where, known
        self.law = stream, rho, where, known, regression_on_neighbours(where, d, rho)

    def times(self, theta: np.ndarray) -> np.ndarray:
        """X theta, for a theta that is 0 outside of `where`."""
        return self.known @ theta[self.where]

    def sign_sums(self, signs: np.ndarray) -> np.ndarray:
        """sign(X)'signs; the other coordinates are drawn here, so call it once."""
        return _sign_sums(*self.law, signs)

    def whole(self) -> np.ndarray:
        """X; the other coordinates are drawn here, so call it once."""
        return _whole(*self.law)


def play_rows(setting: SparseSetting, rng, theta, n: int, random: bool):
    """n rounds with the greedy arm, or with random arms: rows, rewards and regret."""
    stream = Streams(int(rng.integers(0, 2**63)), (0,)).states()[0]
    problem = episodes.problem_of(setting)
    episode = episodes.play_episode(stream, problem, theta, n, random, True)
    known = np.ascontiguousarray(episode.columns.T)
    rows = DrawnRows(stream, setting.rho, setting.d, episode.where, known)
    return rows, episode.rewards, episode.regret


@jit
def _row(stream, rho, where, known, regression):
    row = normal_row(stream, rho, len(regression[0]))
    add_regression(row, known - row[where], regression)
    return row


@jit
def _whole(stream, rho, where, known, regression):
    x = np.empty((len(known), len(regression[0])))
    for t in range(len(known)):
        x[t] = _row(stream, rho, where, known[t], regression)
    return x


@jit
def _sign_sums(stream, rho, where, known, regression, signs):
    sums = np.zeros(len(regression[0]))
    for t in range(len(known)):
        row = _row(stream, rho, where, known[t], regression)
        for j in range(len(row)):
            sums[j] += math.copysign(signs[t], signs[t] * row[j])
    return sums


def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Each episode is as long as all before it together."""
    rho = largest_rho(epsilon, setting.delta)
    recorder = Recorder(setting.signal, len(streams), checkpoints)
    for run in range(len(streams)):
        rng = streams.child("contexts").generator(run)
        noise = SimulatedNoise(streams.child("privacy").generator(run))
        recorder.next_run()
        theta, t, first = np.zeros(setting.d), 0, first_episode(setting, rho)
        while t < horizon:
            n = min(max(t + 1, first), horizon - t)
            rows, rewards, regret = play_rows(setting, rng, theta, n, random=t == 0)
            recorder.add(theta, regret)
            t += n
            if t < horizon:
                theta = sign_step(setting, rho, noise, theta, rows, rewards)
    return recorder.trajectories()
