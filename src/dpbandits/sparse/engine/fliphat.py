"""FLIPHAT, drawing only the coordinates that are used: equal in distribution to ../fliphat.py.

- Rounds are drawn as far as they are read (`episodes`).
- N-IHT needs products with the chosen rows, and some columns of them (`rows`).
- Peeling needs noise where it can win (`selection`).
"""

from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.sparse.engine.episodes import Problem, free_columns, play, problem_of, times_sigma
from dpbandits.sparse.engine.rows import columns_at, excess, known_columns, product, turned
from dpbandits.sparse.engine.selection import (
    FRESH,
    REUSED,
    release_noise,
    selection_noise,
    winners,
    winners_of_fresh_noise,
)
from dpbandits.sparse.fliphat import project_l1
from dpbandits.sparse.presets import Tuning, tuning
from dpbandits.sparse.recorder import Recorder


class Streams(NamedTuple):
    """The random numbers of one run."""

    contexts: np.ndarray
    selection: np.ndarray
    release: np.ndarray


class Steps(NamedTuple):
    """`Tuning`, for compiled code."""

    clip: float
    radius: float
    scales: np.ndarray


def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = problem_of(setting, setting.context_clip)
    recorder = Recorder(setting.signal, len(streams), checkpoints)
    last = int(horizon).bit_length() - 1
    steps = [steps_of(tuning(setting, epsilon, 2**number)) for number in range(last)]
    for run in range(len(streams)):
        own, theta = streams_of(streams, run), np.zeros(setting.d)
        reused = reused_noise(own.selection, problem, steps)
        recorder.next_run()
        for number in range(last + 1):
            n = min(2**number, horizon + 1 - 2**number)
            episode = play(own.contexts, problem, theta, n, number == 0, setting.bounded)
            recorder.add(theta, episode.regret)
            if number < last:
                theta = niht(own, problem, episode, steps[number], reused[number:])
    return recorder.trajectories()


def streams_of(streams, run: int) -> Streams:
    parts = ("contexts", "selection", "release")
    return Streams(*(streams.child(part).states()[run] for part in parts))


def steps_of(tuned: Tuning) -> Steps:
    return Steps(float(tuned.clip), float(tuned.radius), np.array(tuned.scales, float))


def reused_noise(stream, problem: Problem, steps: list[Steps]) -> np.ndarray:
    """One sequence of vectors: step m of estimate number l reads s of them from l + m on."""
    ends = [number + len(own.scales) for number, own in enumerate(steps) if len(own.scales)]
    count = max(ends, default=0) + problem.sparsity if problem.peeling == REUSED else 0
    return selection_noise(stream, REUSED, count, len(problem.signal))


@jit
def move_to(problem, theta, where, columns, scores):
    """Free draws of columns become draws given x'beta* and x'theta of every row, in place."""
    beta, weights = problem.signal[where], theta[where]
    gain, other = times_sigma(problem.rho, where, beta), times_sigma(problem.rho, where, weights)
    gain /= beta @ gain
    move(columns, gain, scores[0] - beta @ columns)
    size = weights @ other
    other -= beta @ other * gain  # moves x'theta and not x'beta*
    if weights @ other > 1e-12 * size:
        move(columns, other / (weights @ other), scores[1] - weights @ columns)


@jit
def move(columns, direction, by):
    for k in range(len(direction)):
        for t in range(len(by)):
            columns[k, t] += direction[k] * by[t]


@jit
def rows_of(stream, problem, episode, target, more):
    """The rows, and the n-vector `target` in the same axes of R^n, which may be `turned` so that
    few are used. So many `more` columns may be asked for later."""
    d, rho, where, columns = len(problem.signal), problem.rho, episode.where, episode.columns
    n = used = len(target)
    if len(columns) == 0:
        known = np.concatenate((episode.scores, target.reshape(1, -1)))
        known, used = turned(known, len(where) + more)
        columns = free_columns(stream, rho, where, n, used, known.shape[1])
        move_to(problem, episode.theta, where, columns, known[:2])
        target, used = known[2].copy(), min(used + len(where), n)
    return known_columns(d, rho, where, columns, n, used), target


@jit
def niht(streams, problem, episode, steps, reused):
    """As ../fliphat.py's, with the columns of the iterate's support alone; 0 without a step.

    Where contexts are clipped, v is first computed from unclipped columns, with error at most
    `slack`; a column is drawn and v made exact only if it could change a selection.
    """
    s, clip, theta = problem.sparsity, problem.clip, np.zeros(len(problem.signal))
    if len(steps.scales) == 0:
        return theta
    stream, rate = streams.contexts, 2.0 * problem.step_size / len(episode.rewards)
    target = np.clip(episode.rewards, -steps.clip, steps.clip)
    rows, target = rows_of(stream, problem, episode, target, (len(steps.scales) - 1) * s)
    excesses = excess(rows, clip) if clip < np.inf else 0.0
    support = np.empty(0, np.int64)
    for m in range(len(steps.scales)):
        xi = steps.scales[m]
        columns, rows = columns_at(stream, rows, support)
        residual = target - theta[support] @ np.clip(columns, -clip, clip)
        sums, rows = product(stream, rows, residual)
        v = theta + rate * sums
        if problem.peeling == FRESH and clip == np.inf:
            support = winners_of_fresh_noise(streams.selection, np.abs(v), s, xi)
        else:
            noise = reused[m : m + s]
            if problem.peeling != REUSED:
                noise = selection_noise(streams.selection, problem.peeling, s, len(v))
            slack = rate * np.max(np.abs(residual)) * excesses
            inexact = np.full(len(v), slack > 0)
            support, to_refine = winners(v, xi, noise, s, inexact, 0.0)
            if slack > 0:  # first of all those that would win if v were exact
                to_refine = support
            while len(to_refine) > 0:
                columns, rows = columns_at(stream, rows, to_refine)
                v[to_refine] = theta[to_refine] + rate * (np.clip(columns, -clip, clip) @ residual)
                inexact[to_refine] = False
                support, to_refine = winners(v, xi, noise, s, inexact, slack)
        values = v[support] + xi * release_noise(streams.release, problem.peeling, s)
        theta = np.zeros(len(v))
        theta[support] = project(values, steps.radius)
    return theta


project = jit(project_l1)
