"""Rounds of an episode, of which only what the learner reads is drawn, exactly in distribution.

Which arm is played, and its reward, depend on a context x through two scores alone: x'beta*, and
x'theta with the estimate theta. These two are jointly normal, so where contexts are not clipped a
round costs two normal variates for each of its K arms. Given its scores, the played row does not
depend on why it was played: it has the law of N(0, Sigma) given x'beta* and x'theta. So whatever
else is read of the played rows can be drawn later, given these.

Where contexts are clipped, theta meets the clipped context; dp-signs reads the signs of whole rows.
Then the coordinates that the two scores read are drawn, on the supports of beta* and theta, and the
rest of a played row has the law of N(0, Sigma) given these coordinates.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import normals, uniform
from dpbandits.sparse.engine.rows import free_columns, times_sigma
from dpbandits.sparse.problem import SparseSetting, signal_variance

MARGINS = {"gaussian": math.nan, "0": 0.0, "1": 1.0, "inf": math.inf}


class CompiledSetting(NamedTuple):
    """A setting for compiled code."""

    signal: np.ndarray  # beta*
    score_sd: float  # standard deviation of x'beta*
    arms: int
    rho: float
    sigma: float
    uniform_noise: bool  # of the rewards; else it is normal
    clip: float  # where contexts are clipped; inf: not at all
    margin: float  # alpha; nan: gaps as drawn
    gap: float


class Episode(NamedTuple):
    """The n played rounds."""

    theta: np.ndarray
    where: np.ndarray  # the coordinates that either score reads, ascending
    scores: np.ndarray  # 2 x n: x'beta* and x'theta of the played contexts
    columns: np.ndarray  # len(where) x n: their coordinates; empty if only scores were drawn
    rewards: np.ndarray
    regret: np.ndarray


def problem_of(setting: SparseSetting, clip: float = math.inf) -> CompiledSetting:
    return CompiledSetting(
        setting.signal, math.sqrt(signal_variance(setting)), setting.arms, setting.rho,
        setting.sigma, setting.reward_noise == "uniform", clip, MARGINS[setting.margin],
        setting.gap,
    )  # fmt: skip


@jit
def play_episode(stream, problem, theta, n, random, draw_columns):
    """n rounds with the greedy arm, or with random arms.

    draw_columns: draw the contexts at the coordinates `where`, and not the scores alone.
    """
    where = np.flatnonzero((problem.signal != 0) | (theta != 0))
    count = n * problem.arms  # of contexts; that of arm a in round t is number t K + a
    x = np.empty((0, count))
    if draw_columns:
        x = free_columns(stream, problem.rho, where, count, count, count)
        scores = problem.signal[where] @ x
        shift_best(stream, problem, scores, where, x)
        estimated = np.zeros(count)
        for k in range(len(where)):
            if theta[where[k]] != 0.0:
                estimated += theta[where[k]] * np.clip(x[k], -problem.clip, problem.clip)
    else:
        scores = problem.score_sd * normals(stream, count)
        shift_best(stream, problem, scores, where, x)
        estimated = estimated_scores(stream, problem, theta, where, scores)
    played, regret = np.empty(n, np.int64), np.empty(n)
    for t in range(n):
        first = t * problem.arms
        arms = slice(first, first + problem.arms)
        arm = int(uniform(stream) * problem.arms) if random else np.argmax(estimated[arms])
        played[t] = first + arm
        regret[t] = np.max(scores[arms]) - scores[played[t]]
    rewards = scores[played] + reward_noise(stream, problem, n)
    both = np.stack((scores[played], estimated[played]))
    return Episode(theta, where, both, x[:, played], rewards, regret)


@jit
def estimated_scores(stream, problem, theta, where, scores):
    """x'theta of contexts given their x'beta*: normal about the regression on it."""
    if not np.any(theta):
        return np.zeros(len(scores))
    sigma_theta = times_sigma(problem.rho, where, theta[where])
    slope = problem.signal[where] @ sigma_theta / problem.score_sd**2
    variance = max(theta[where] @ sigma_theta - (slope * problem.score_sd) ** 2, 0.0)
    return slope * scores + math.sqrt(variance) * normals(stream, len(scores))


@jit
def shift_best(stream, problem, scores, where, x):
    """Move the best arm's score, and its context, so that the gaps follow the margin's law.

    The context moves along the regression of x on x'beta*, so that what is left of it keeps its
    law.
    """
    if math.isnan(problem.margin):
        return
    direction = times_sigma(problem.rho, where, problem.signal[where]) / problem.score_sd**2
    for first in range(0, len(scores), problem.arms):
        best, second, gap = first, -np.inf, problem.gap
        for arm in range(first + 1, first + problem.arms):
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
def reward_noise(stream, problem, n):
    noise = np.empty(n)
    if problem.uniform_noise:
        for t in range(n):
            noise[t] = 2.0 * uniform(stream) - 1.0
    else:
        noise = normals(stream, n)
    return problem.sigma * noise
