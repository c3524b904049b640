"""Contexts coordinate by coordinate, in compiled loops."""

import math
from collections import namedtuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.sparse.engine.autoregressive import link

# forced: gaps are; direction: of the shift that makes them.
World = namedtuple("World", "arms rho clip signal forced direction")


@jit
def play_dense(rng, world, theta, greedy, chosen, gaps):
    """Rows of the chosen arms as the learner sees them, and x'beta* of all arms.

    `chosen` holds the arms to play; with `greedy` it is overwritten by the argmax of x'theta. With
    `world.forced` the best arm moves along Sigma beta* until it leads by the round's gap.
    """
    n, d, arms = len(chosen), len(world.signal), world.arms
    rows = np.empty((n, d))
    scores = np.empty((n, arms))
    x = np.empty((arms, d))
    fresh = math.sqrt(1 - world.rho * world.rho)
    for t in range(n):
        for k in range(arms):
            x[k, 0] = rng.standard_normal()
            for j in range(1, d):
                x[k, j] = world.rho * x[k, j - 1] + fresh * rng.standard_normal()
            scores[t, k] = np.dot(x[k], world.signal)
        if world.forced:
            best = np.argmax(scores[t])
            second = -np.inf
            for k in range(arms):
                if k != best:
                    second = max(second, scores[t, k])
            shift = second + gaps[t] - scores[t, best]
            x[best] += shift * world.direction
            scores[t, best] += shift
        if world.clip < np.inf:
            x = np.clip(x, -world.clip, world.clip)
        if greedy:
            leader = -np.inf
            for k in range(arms):
                score = np.dot(x[k], theta)
                if score > leader:
                    leader = score
                    chosen[t] = k
        rows[t] = x[chosen[t]]
    return rows, scores


@jit
def fill_rows(rng, x, rho, clip, known, pins):
    """Fill x with rows of N(0, Sigma) given their coordinates `pins.where`, clipped."""
    _fill(rng, x, rho, known, pins)
    for t in range(len(x)):
        for j in range(x.shape[1]):
            x[t, j] = min(max(x[t, j], -clip), clip)


@jit
def add_signs(rng, out, rho, weights, known, pins):
    """out += sign(X)'weights for such rows, which are kept four at a time."""
    room = np.empty((4, len(out)))
    for start in range(0, len(weights), len(room)):
        rows = room[: len(weights) - start]
        _fill(rng, rows, rho, known[start:], pins)
        for t in range(len(rows)):
            weight = weights[start + t]
            for j in range(len(out)):
                out[j] += math.copysign(weight, weight * rows[t, j])


@jit
def _fill(rng, rows, rho, known, pins):
    for t in range(len(rows)):
        for j in range(rows.shape[1]):
            rows[t, j] = rng.standard_normal()
    ratio = np.full(rows.shape[1] - 1, rho)
    link(rows, ratio, np.sqrt(1 - ratio * ratio))
    for t in range(len(rows)):
        missing = known[t] - rows[t][pins.where]
        for m in range(len(pins.target)):
            rows[t, pins.target[m]] += pins.weight[m] * missing[pins.source[m]]
