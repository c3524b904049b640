"""FLIPHAT, drawing only the coordinates that are used: equal in distribution to ../fliphat.py.

- A round needs the scores x'beta* and x'theta of its K arms, which are two normals each. Where
  contexts are clipped it needs the coordinates that the scores read.
- N-IHT needs products with the chosen rows, and some columns of them (`rows`).
- Peeling needs noise where it can win (`selection`).
"""

import math
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.sparse.engine.rows import (
    Rows,
    columns_at,
    excess,
    known_columns,
    normals,
    product,
    turned,
)
from dpbandits.sparse.engine.selection import winners, winners_of_fresh_noise
from dpbandits.sparse.fliphat import Noise, project_l1
from dpbandits.sparse.presets import Tuning, tuning
from dpbandits.sparse.problem import (
    SparseSetting,
    correlations,
    margin_shift,
    mean_rewards,
    reward_noise,
    signal_direction,
)
from dpbandits.sparse.recorder import Recorder


def simulate(setting, epsilon, horizon, streams, checkpoints):
    constants_of = cache(partial(tuning, setting, epsilon))
    recorder = Recorder(setting.signal, len(streams), checkpoints)
    for run in range(len(streams)):
        seed = streams.child("contexts").generator(run).integers(0, 2**63)
        rng = np.random.Generator(np.random.SFC64(seed))  # twice as fast
        recorder.next_run()
        fliphat(setting, horizon, constants_of, Noise(setting, streams, run), rng, recorder)
    return recorder.trajectories()


def fliphat(setting, horizon, constants_of, noise, rng, recorder) -> None:
    """One run, episode by episode."""
    contexts = {"clip": setting.context_clip, "drawn": setting.bounded}
    episode, number = play(setting, rng, None, 1, random=True, **contexts), 0
    recorder.add(None, episode.regret)
    while 2 ** (number + 1) <= horizon:
        n = len(episode.rewards)
        estimate = niht(rng, episode, constants_of(n), partial(noise.of_step, number))
        episode = play(setting, rng, estimate, min(2 * n, horizon + 1 - 2 * n), **contexts)
        recorder.add(estimate, episode.regret)
        number += 1


@dataclass(frozen=True)
class Episode:
    """The chosen rows: their coordinates at `where` if contexts are clipped, else the scores alone.

    scores: x'beta* and x'theta.
    """

    setting: SparseSetting
    theta: np.ndarray
    where: np.ndarray  # the coordinates that either score reads
    scores: np.ndarray  # 2 x n
    columns: np.ndarray | None  # len(where) x n
    rewards: np.ndarray
    regret: np.ndarray

    def rows(self, rng, target: np.ndarray, more: int) -> tuple[Rows, np.ndarray]:
        """The rows, and the n-vector `target` in the same axes of R^n, which may be `turned` so
        that few are used. So many `more` columns may be asked for later."""
        setting, n = self.setting, len(target)
        columns, used = self.columns, n
        if columns is None:
            known = np.array([*self.scores, target])
            known, used = turned(known, len(self.where) + more)
            columns = free_columns(rng, setting.rho, self.where, (n, used, known.shape[1]))
            columns = moved_to(setting, self.theta, self.where, columns, known[:2])
            target, used = known[2], min(used + len(self.where), n)
        return known_columns(setting.d, setting.rho, self.where, columns, n, used), target


def play(setting, rng, estimate, n: int, *, random=False, clip=math.inf, drawn=False):
    """n rounds with the greedy arm (a random one, or the first).

    clip: where contexts are clipped. drawn: are their coordinates at `where` drawn, not scores?
    """
    theta = np.zeros(setting.d) if estimate is None else estimate
    where = np.flatnonzero((setting.signal != 0) | (theta != 0))
    if drawn:
        x = draw_at(setting, rng, where, n)
        scores = np.tensordot(setting.signal[where], x, 1)
        learnt = clipped_scores(x, theta[where], clip)
    else:
        scores = mean_rewards(setting, rng, n)
        learnt = learnt_scores(setting, rng, theta, where, scores)
    arms = rng.integers(0, setting.arms, n) if random else np.argmax(learnt, axis=1)
    rounds = np.arange(n)
    chosen, best = (rounds, arms), (rounds, np.argmax(scores, axis=1))
    return Episode(
        setting, theta, where,
        scores=np.array([scores[chosen], learnt[chosen]]),
        columns=np.ascontiguousarray(x[:, *chosen]) if drawn else None,
        rewards=scores[chosen] + reward_noise(setting, rng, n),
        regret=scores[best] - scores[chosen],
    )  # fmt: skip


@jit
def clipped_scores(x, theta, clip):
    """clip(x)'theta of all contexts."""
    scores = np.zeros(x.shape[1:])
    for k in np.flatnonzero(theta):
        scores += theta[k] * np.clip(x[k], -clip, clip)
    return scores


def draw_at(setting: SparseSetting, rng, where: np.ndarray, n: int) -> np.ndarray:
    """All contexts at the coordinates `where`: len(where) x n x K."""
    size = n * setting.arms
    x = free_columns(rng, setting.rho, where, (size, size, size)).reshape(-1, n, setting.arms)
    if setting.margin != "gaussian":
        shift = margin_shift(setting, rng, np.tensordot(setting.signal[where], x, 1))
        x += signal_direction(setting, where)[:, None, None] * shift
    return x


@jit
def free_columns(rng, rho, where, axes):
    """Columns of rows of N(0, Sigma) at the coordinates `where`; axes: n, used, room of `Rows`."""
    x = normals(rng, len(where), *axes)
    for k in range(1, len(where)):
        ratio = rho ** float(where[k] - where[k - 1])
        fresh = math.sqrt(1 - ratio * ratio)
        for t in range(x.shape[1]):
            x[k, t] = fresh * x[k, t] + ratio * x[k - 1, t]
    return x


def learnt_scores(setting, rng, theta, where, scores: np.ndarray) -> np.ndarray:
    """x'theta given x'beta*, where contexts are not clipped."""
    if not theta.any():
        return np.zeros_like(scores)
    weights, gain = score_weights(setting, theta, where)
    (own, shared), (_, other) = weights @ gain
    slope = shared / own
    spread = math.sqrt(max(other - slope * shared, 0.0))
    return slope * scores + spread * rng.standard_normal(scores.shape)


def score_weights(setting, theta, where) -> tuple[np.ndarray, np.ndarray]:
    """beta* and theta at `where`, and the covariance of x there with x'beta* and x'theta."""
    weights = np.array([setting.signal[where], theta[where]])
    return weights, correlations(setting.rho, where, where) @ weights.T


def moved_to(setting, theta, where, columns, scores) -> np.ndarray:
    """Free draws of columns become draws given x'beta* and x'theta of every row."""
    weights, gain = score_weights(setting, theta, where)
    gain = gain @ np.linalg.pinv(weights @ gain, rcond=1e-12)
    return columns + gain @ (scores - weights @ columns)


def niht(rng, episode: Episode, constants: Tuning, step_noise) -> np.ndarray | None:
    """As ../fliphat.py's, with the columns of the iterate's support alone."""
    if constants.steps == 0:
        return None
    setting, rate = episode.setting, 2 * episode.setting.step_size / len(episode.rewards)
    target = np.clip(episode.rewards, -constants.clip, constants.clip)
    rows, target = episode.rows(rng, target, (constants.steps - 1) * setting.sparsity)
    noises, rounds = [step_noise(m) for m in range(constants.steps)], range(setting.sparsity)
    selections = np.empty((0, 0, 0))
    if setting.bounded or not noises[0].fresh:
        selections = np.array([[noise.selection(i) for i in rounds] for noise in noises])
    released = np.array([noise.release(setting.sparsity) for noise in noises])
    steps = (rate, constants.radius, np.array(constants.scales), released)
    clip = setting.context_clip
    clipping = (clip, excess(rows, clip) if setting.bounded else 0.0)
    return descend(rng, rows, target, steps, clipping, (selections, noises[0].rng))


project = jit(project_l1)


@jit
def descend(rng, rows, target, steps, clipping, selecting):
    """The steps of N-IHT.

    steps: 2 eta/n, the radius C, every step's xi, every step's release noise. clipping: where
    contexts are clipped, and `excess`. selecting: Peeling's noise, or nothing: then it is Laplace
    noise drawn where it can win, by the generator beside it.

    Where contexts are clipped, v is first computed from unclipped columns, with error at most
    `slack`; a column is drawn and v made exact only if it could change a selection.
    """
    rate, radius, scales, released = steps
    clip, excesses = clipping
    selections, selection_rng = selecting
    support, theta = np.empty(0, np.int64), np.zeros(len(rows.slot))
    for m in range(len(scales)):
        columns, rows = columns_at(rng, rows, support)
        residual = target - theta[support] @ np.clip(columns, -clip, clip)
        sums, rows = product(rng, rows, residual)
        v = theta + rate * sums
        if len(selections) == 0:
            support = winners_of_fresh_noise(selection_rng, np.abs(v), released.shape[1], scales[m])
        else:
            slack = rate * np.max(np.abs(residual)) * excesses
            inexact = np.full(len(v), slack > 0)
            support, to_refine = winners(v, scales[m], selections[m], inexact, 0.0)
            if slack > 0:  # first of all those that would win if v were exact
                to_refine = support
            while len(to_refine) > 0:
                columns, rows = columns_at(rng, rows, to_refine)
                v[to_refine] = theta[to_refine] + rate * (np.clip(columns, -clip, clip) @ residual)
                inexact[to_refine] = False
                support, to_refine = winners(v, scales[m], selections[m], inexact, slack)
        values = v[support] + scales[m] * released[m]
        theta = np.zeros(len(v))
        theta[support] = project(values, radius)
    return theta
