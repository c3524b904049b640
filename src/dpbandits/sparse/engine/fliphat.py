"""FLIPHAT, drawing only the coordinates that are used: equal in distribution to ../fliphat.py.

- A round needs the scores x'beta* and x'theta of its K arms, which are two normals each. Where
  contexts are clipped it needs the coordinates that the scores read.
- N-IHT needs products with the chosen rows, and some columns of them (`rows`).
- Peeling needs noise where it can win (`selection`).
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import normals, uniform
from dpbandits.sparse.engine.rows import (
    columns_at,
    excess,
    known_columns,
    normal_vectors,
    product,
    turned,
)
from dpbandits.sparse.engine.selection import (
    FRESH,
    GUMBEL,
    REUSED,
    release_noise,
    selection_noise,
    winners,
    winners_of_fresh_noise,
)
from dpbandits.sparse.fliphat import project_l1
from dpbandits.sparse.presets import Tuning, tuning
from dpbandits.sparse.problem import SparseSetting, signal_variance
from dpbandits.sparse.recorder import Recorder

MARGINS = {"gaussian": math.nan, "0": 0.0, "1": 1.0, "inf": math.inf}


class Problem(NamedTuple):
    """A setting for compiled code."""

    signal: np.ndarray
    spread: float  # standard deviation of x'beta*
    arms: int
    sparsity: int
    rho: float
    sigma: float
    uniform: bool  # is the noise of rewards uniform?
    step_size: float
    clip: float  # where contexts are clipped; inf: not at all
    margin: float  # alpha; nan: gaps as drawn
    gap: float
    peeling: int  # REUSED, FRESH or GUMBEL: what Peeling's noise is


class Streams(NamedTuple):
    """The random numbers of one run."""

    contexts: np.ndarray
    selection: np.ndarray
    release: np.ndarray


class Episode(NamedTuple):
    """The chosen rows: their coordinates at `where` if contexts are clipped, else the scores alone.

    scores: x'beta* and x'theta.
    """

    theta: np.ndarray
    where: np.ndarray  # the coordinates that either score reads
    scores: np.ndarray  # 2 x n
    columns: np.ndarray  # len(where) x n; empty if only scores were drawn
    rewards: np.ndarray
    regret: np.ndarray


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


def problem_of(setting: SparseSetting, clip: float) -> Problem:
    kind = REUSED if setting.preset == "released" and setting.peeling_noise == "reused" else FRESH
    return Problem(
        setting.signal, math.sqrt(signal_variance(setting)), setting.arms, setting.sparsity,
        setting.rho, setting.sigma, setting.reward_noise == "uniform", setting.step_size,
        clip, MARGINS[setting.margin], setting.gap,
        GUMBEL if setting.preset == "zcdp" else kind,
    )  # fmt: skip


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
def play(stream, problem, theta, n, random, drawn):
    """n rounds with the greedy arm (a random one, or the first).

    drawn: are the contexts' coordinates at `where` drawn, and not the scores alone?
    """
    where = np.flatnonzero((problem.signal != 0) | (theta != 0))
    size = n * problem.arms  # of round t: those from t K on
    x = np.empty((0, 0))
    if drawn:
        x = free_columns(stream, problem.rho, where, size, size, size)
        scores = problem.signal[where] @ x
        shift_best(stream, problem, scores, where, x)
        learnt = np.zeros(size)
        for k in range(len(where)):
            if theta[where[k]] != 0.0:
                learnt += theta[where[k]] * np.clip(x[k], -problem.clip, problem.clip)
    else:
        scores = problem.spread * normals(stream, size)
        shift_best(stream, problem, scores, where, x)
        learnt = learnt_scores(stream, problem, theta, where, scores)
    both, columns, regret = np.empty((2, n)), np.empty((len(x), n)), np.empty(n)
    for t in range(n):
        own = slice(t * problem.arms, (t + 1) * problem.arms)
        arm = int(uniform(stream) * problem.arms) if random else np.argmax(learnt[own])
        chosen = own.start + arm
        regret[t] = np.max(scores[own]) - scores[chosen]
        both[0, t], both[1, t] = scores[chosen], learnt[chosen]
        for k in range(len(x)):
            columns[k, t] = x[k, chosen]
    rewards = both[0] + reward_noise(stream, problem, n)
    return Episode(theta, where, both, columns, rewards, regret)


@jit
def reward_noise(stream, problem, n):
    noise = np.empty(n)
    if problem.uniform:
        for t in range(n):
            noise[t] = 2.0 * uniform(stream) - 1.0
    else:
        noise = normals(stream, n)
    return problem.sigma * noise


@jit
def shift_best(stream, problem, scores, where, x):
    """Move the best arm's score, and its context, so that the gaps follow the asked-for law."""
    if math.isnan(problem.margin):
        return
    direction = times_sigma(problem.rho, where, problem.signal[where]) / problem.spread**2
    for start in range(0, len(scores), problem.arms):
        best, second, gap = start, -np.inf, problem.gap
        for arm in range(start + 1, start + problem.arms):
            if scores[arm] > scores[best]:
                best, second = arm, scores[best]
            else:
                second = max(second, scores[arm])
        if problem.margin == 1.0:
            gap *= uniform(stream)
        elif problem.margin == 0.0:
            gap *= 10.0 ** (-6.0 * uniform(stream))
        shift = second + gap - scores[best]
        scores[best] += shift
        for k in range(len(x)):
            x[k, best] += direction[k] * shift


@jit
def times_sigma(rho, where, weights):
    """Sigma w on the coordinates `where` (ascending) of a w that is 0 elsewhere."""
    total, below, above = weights.copy(), 0.0, 0.0
    last = len(where) - 1
    for k in range(1, last + 1):
        below = (below + weights[k - 1]) * rho ** float(where[k] - where[k - 1])
        total[k] += below
        k = last - k
        above = (above + weights[k + 1]) * rho ** float(where[k + 1] - where[k])
        total[k] += above
    return total


@jit
def learnt_scores(stream, problem, theta, where, scores):
    """x'theta given x'beta*, where contexts are not clipped."""
    if not np.any(theta):
        return np.zeros(len(scores))
    gain = times_sigma(problem.rho, where, theta[where])
    slope = problem.signal[where] @ gain / problem.spread**2
    rest = max(theta[where] @ gain - (slope * problem.spread) ** 2, 0.0)
    return slope * scores + math.sqrt(rest) * normals(stream, len(scores))


@jit
def free_columns(stream, rho, where, n, used, room):
    """Columns of rows of N(0, Sigma) at the coordinates `where`; n, used, room: of `Rows`."""
    x = normal_vectors(stream, len(where), n, used, room)
    for k in range(1, len(where)):
        ratio = rho ** float(where[k] - where[k - 1])
        fresh = math.sqrt(1 - ratio * ratio)
        for t in range(room):
            x[k, t] = fresh * x[k, t] + ratio * x[k - 1, t]
    return x


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
