"""FLIPHAT, drawing only the numbers that are read: equal in distribution to
../fliphat_presets.py.

- `episodes`: of a round, the scores of its arms (or, where contexts are clipped, the coordinates
  that the scores read).
- `rows`: of the played rows, the products and the columns that N-IHT reads.
- `selection`: of Peeling's fresh noise, the numbers that can win.
"""

from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.reproduction.fl.algorithms.compiled import selection
from dpbandits.reproduction.fl.algorithms.compiled.rows import (
    columns_at,
    known_columns,
    largest_excess,
    product,
    turned,
)
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.sparse.engine import (
    CompiledSetting,
    free_columns,
    play_episode,
    problem_of,
    times_sigma,
)
from dpbandits.sparse.fliphat import Tuning, project_l1
from dpbandits.sparse.recorder import Recorder


class NihtProblem(NamedTuple):
    """A setting for compiled code."""

    rounds: CompiledSetting
    sparsity: int
    step_size: float
    peeling: int  # REUSED, FRESH or GUMBEL


class RunStreams(NamedTuple):
    """The random streams of one run."""

    contexts: np.ndarray
    selection: np.ndarray
    release: np.ndarray


def simulate(setting, epsilon, horizon, streams, checkpoints):
    problem = fliphat_problem(setting)
    recorder = Recorder(setting.signal, len(streams), checkpoints)
    last = int(horizon).bit_length() - 1  # the number of the last episode
    tunings = [setting.tuning(epsilon, 2**episode) for episode in range(last)]
    for run in range(len(streams)):
        run_streams = streams_of(streams, run)
        theta = np.zeros(setting.d)
        reused = reused_noise(run_streams.selection, problem, tunings)
        recorder.next_run()
        for number in range(last + 1):
            n = min(2**number, horizon + 1 - 2**number)
            random, clipped = number == 0, problem.rounds.clip < np.inf
            episode = play_episode(run_streams.contexts, problem.rounds, theta, n, random, clipped)
            recorder.add(theta, episode.regret)
            if number < last:
                theta = niht(run_streams, problem, episode, tunings[number], reused[number:])
    return recorder.trajectories()


def fliphat_problem(setting: PresetSetting) -> NihtProblem:
    kind = selection.KINDS[setting.peeling]
    rounds = problem_of(setting, setting.context_clip)
    return NihtProblem(rounds, setting.sparsity, setting.step_size, kind)


def streams_of(streams, run: int) -> RunStreams:
    names = ("contexts", "selection", "release")
    return RunStreams(*(streams.child(name).states()[run] for name in names))


def reused_noise(stream, problem: NihtProblem, tunings: list[Tuning]) -> np.ndarray:
    """One sequence of vectors, of which round i of step m of estimate number l reads l + m + i."""
    d = len(problem.rounds.signal)
    if problem.peeling != selection.REUSED:
        return np.empty((0, d))
    ends = [number + t.M for number, t in enumerate(tunings) if t.M]
    count = max(ends, default=0) + problem.sparsity
    return selection.laplaces(stream, count * d).reshape(count, d)


def niht(streams, problem, episode, tuning, reused):
    """The estimate from an episode: Algorithm 1 as in sparse/fliphat.py, with sparse products."""
    s, clip = problem.sparsity, problem.rounds.clip
    if len(tuning.xi) == 0:
        return np.zeros(len(problem.rounds.signal))
    y = np.clip(episode.rewards, -tuning.R, tuning.R)
    rows, y = rows_of(streams.contexts, problem, episode, y, (len(tuning.xi) - 1) * s)
    excess = largest_excess(rows, clip) if clip < np.inf else 0.0
    return estimate(streams, problem, rows, y, tuning, reused, excess)


@jit
def estimate(streams, problem, rows, y, tuning, reused, excess):
    """X theta needs the columns of theta's support alone, and the gradient one product with X."""
    s, clip, theta = problem.sparsity, problem.rounds.clip, np.zeros(len(problem.rounds.signal))
    rate = 2.0 * problem.step_size / rows.n
    support = np.empty(0, np.int64)
    for m in range(len(tuning.xi)):
        xi = tuning.xi[m]
        columns, rows = columns_at(streams.contexts, rows, support)
        residual = y - theta[support] @ np.clip(columns, -clip, clip)
        sums, rows = product(streams.contexts, rows, residual)
        v = theta + rate * sums
        if clip < np.inf:
            support, rows = select_clipped(streams, problem, rows, theta, v, residual, xi, excess)
        elif problem.peeling == selection.REUSED:
            support = selection.winners(v, xi, reused[m : m + s], s)
        else:
            support = selection.winners_of_fresh_noise(streams.selection, np.abs(v), s, xi)
        values = v[support] + xi * selection.release_noise(streams.release, problem.peeling, s)
        theta = np.zeros(len(v))
        theta[support] = project(values, tuning.C)
    return theta


project = jit(project_l1)


@jit
def rows_of(stream, problem, episode, y, later):
    """The played rows, and y in the same axes of R^n; `later` columns may be asked for later."""
    rounds, where, columns = problem.rounds, episode.where, episode.columns
    n = used = len(y)
    if len(columns) == 0:  # only scores were drawn
        vectors = np.concatenate((episode.scores, y.reshape(1, -1)))
        vectors, used = turned(vectors, len(where) + later)
        theta = episode.theta
        columns = columns_given_scores(stream, rounds, theta, where, vectors[:2], n, used)
        y, used = vectors[2].copy(), min(used + len(where), n)
    return known_columns(len(rounds.signal), rounds.rho, where, columns, n, used), y


@jit
def columns_given_scores(stream, problem, theta, where, scores, n, used):
    """The columns at `where` of n rows given x'beta* and x'theta of each, by moving free draws.

    scores: these two n-vectors, perhaps in turned axes of which `used` are in use (see `rows`).
    """
    beta, weights = problem.signal[where], theta[where]
    columns = free_columns(stream, problem.rho, where, n, used, scores.shape[1])
    gain = times_sigma(problem.rho, where, beta)  # the regression on x'beta*
    gain /= beta @ gain
    add_multiples(columns, gain, scores[0] - beta @ columns)
    gain_theta = times_sigma(problem.rho, where, weights)
    variance = weights @ gain_theta
    gain_theta -= beta @ gain_theta * gain  # on what x'beta* does not say of x'theta
    rest = weights @ gain_theta
    if rest > 1e-12 * variance:
        add_multiples(columns, gain_theta / rest, scores[1] - weights @ columns)
    return columns


@jit
def add_multiples(rows, factors, row):
    """Add to each of the rows its factor times `row` (np.outer takes long to compile)."""
    for i in range(len(rows)):
        rows[i] += factors[i] * row


@jit
def select_clipped(streams, problem, rows, theta, v, residual, xi, excess):
    """Peeling's selection where contexts are clipped; v is made exact where it is selected.

    At first v is that of the unclipped columns, which is off by at most `slack`. A column is drawn,
    and v made exact there, only if it could change a selection, beginning with those that would win
    if v were exact.
    """
    s, clip = problem.sparsity, problem.rounds.clip
    rate = 2.0 * problem.step_size / len(residual)
    noise = selection.selection_noise(streams.selection, problem.peeling, s, len(v))
    slack = rate * np.max(np.abs(residual)) * excess
    inexact = np.full(len(v), True)
    to_refine = support = selection.winners(v, xi, noise, s)
    while len(to_refine) > 0:
        columns, rows = columns_at(streams.contexts, rows, to_refine)
        v[to_refine] = theta[to_refine] + rate * (np.clip(columns, -clip, clip) @ residual)
        inexact[to_refine] = False
        support, to_refine = selection.certain_winners(v, xi, noise, s, inexact, slack)
    return support, rows
