"""Contexts coordinate by coordinate, in compiled loops."""

import math

import numpy as np

from dpbandits.core.compiled import jit


@jit
def play_dense(rng, arms, rho, clip, signal, theta, greedy, chosen, gaps, forced, direction):
    """Rows of the chosen arms as the learner sees them, and x'beta* of all arms.

    `chosen` holds the arms to play; with `greedy` it is overwritten by the argmax of x'theta. With
    `forced` the best arm moves along Sigma beta* until it leads by the round's gap.
    """
    n, d = len(chosen), len(signal)
    rows = np.empty((n, d))
    scores = np.empty((n, arms))
    x = np.empty((arms, d))
    fresh = math.sqrt(1 - rho * rho)
    for t in range(n):
        for k in range(arms):
            x[k, 0] = rng.standard_normal()
            for j in range(1, d):
                x[k, j] = rho * x[k, j - 1] + fresh * rng.standard_normal()
            scores[t, k] = np.dot(x[k], signal)
        if forced:
            best = np.argmax(scores[t])
            second = -np.inf
            for k in range(arms):
                if k != best:
                    second = max(second, scores[t, k])
            shift = second + gaps[t] - scores[t, best]
            x[best] += shift * direction
            scores[t, best] += shift
        if clip < np.inf:
            x = np.clip(x, -clip, clip)
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
def fill_rows(rng, x, rho, clip, known, where, target, source, weight):
    """Fill x with rows of N(0, Sigma) given their coordinates `where`, clipped (see `pins`)."""
    for t in range(len(x)):
        _fill_row(rng, x[t], rho, known[t], where, target, source, weight)
        for j in range(x.shape[1]):
            x[t, j] = min(max(x[t, j], -clip), clip)


@jit
def add_signs(rng, out, rho, weights, known, where, target, source, weight):
    """out += sign(X)'weights for such rows, none of which is kept."""
    row = np.empty(len(out))
    for t in range(len(weights)):
        _fill_row(rng, row, rho, known[t], where, target, source, weight)
        for j in range(len(out)):
            out[j] += math.copysign(weights[t], weights[t] * row[j])


@jit
def _fill_row(rng, row, rho, known, where, target, source, weight):
    fresh, last = math.sqrt(1 - rho * rho), 0.0
    for j in range(len(row)):
        last = rho * last + (fresh if j else 1.0) * rng.standard_normal()
        row[j] = last
    missing = known - row[where]
    for m in range(len(target)):
        row[target[m]] += weight[m] * missing[source[m]]
