"""Contexts coordinate by coordinate, in compiled loops."""

import math
from collections import namedtuple

import numpy as np

from dpbandits.core.compiled import jit

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
    for t in range(len(x)):
        _fill_row(rng, x[t], rho, known[t], pins)
        for j in range(x.shape[1]):
            x[t, j] = min(max(x[t, j], -clip), clip)


@jit
def add_signs(rng, out, rho, weights, known, pins):
    """out += sign(X)'weights for such rows, none of which is kept."""
    row = np.empty(len(out))
    for t in range(len(weights)):
        _fill_row(rng, row, rho, known[t], pins)
        for j in range(len(out)):
            out[j] += math.copysign(weights[t], weights[t] * row[j])


@jit
def _fill_row(rng, row, rho, known, pins):
    fresh, last = math.sqrt(1 - rho * rho), 0.0
    for j in range(len(row)):
        last = rho * last + (fresh if j else 1.0) * rng.standard_normal()
        row[j] = last
    missing = known - row[pins.where]
    for m in range(len(pins.target)):
        row[pins.target[m]] += pins.weight[m] * missing[pins.source[m]]
