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
def clipped_rows(rng, d, rho, clip, known, pins):
    """Rows of N(0, Sigma) given their coordinates `pins.where`, clipped."""
    x = _rows(rng, known, _links(rho, d), pins)
    for t in range(len(x)):
        for j in range(d):
            x[t, j] = min(max(x[t, j], -clip), clip)
    return x


@jit
def add_signs(rng, out, rho, weights, known, pins):
    """out += sign(X)'weights for such rows, which are kept four at a time."""
    links = _links(rho, len(out))
    for start in range(0, len(weights), 4):
        rows = _rows(rng, known[start : start + 4], links, pins)
        for t in range(len(rows)):
            weight = weights[start + t]
            for j in range(len(out)):
                out[j] += math.copysign(weight, weight * rows[t, j])


@jit
def _links(rho, d):
    ratio = np.full(d - 1, rho)
    return ratio, np.sqrt(1 - ratio * ratio)


@jit
def _rows(rng, known, links, pins):
    n, d = len(known), len(links[0]) + 1
    rows = rng.standard_normal(n * d).reshape(n, d)
    link(rows, *links)
    for t in range(n):
        row = rows[t]
        missing = known[t] - row[pins.where]
        for k in range(len(missing)):
            moved = row[pins.first[k] :]
            weight = pins.weight[pins.ends[k] : pins.ends[k + 1]]
            for m in range(len(weight)):
                moved[m] += weight[m] * missing[k]
    return rows
