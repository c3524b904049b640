"""Episodes of FLIPHAT and dp-signs: rounds of which only what the learner reads is drawn.

A round needs the scores x'beta* and x'theta of its K arms, which are two normals each. Where
contexts are clipped it needs the coordinates that the scores read.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import normals, uniform
from dpbandits.sparse.engine.rows import normal_vectors
from dpbandits.sparse.engine.selection import FRESH, GUMBEL, REUSED
from dpbandits.sparse.problem import SparseSetting, signal_variance

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


def problem_of(setting: SparseSetting, clip: float) -> Problem:
    kind = REUSED if setting.preset == "released" and setting.peeling_noise == "reused" else FRESH
    return Problem(
        setting.signal, math.sqrt(signal_variance(setting)), setting.arms, setting.sparsity,
        setting.rho, setting.sigma, setting.reward_noise == "uniform", setting.step_size,
        clip, MARGINS[setting.margin], setting.gap,
        GUMBEL if setting.preset == "zcdp" else kind,
    )  # fmt: skip


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
