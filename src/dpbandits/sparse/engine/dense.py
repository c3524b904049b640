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
    fresh = math.sqrt(1 - rho * rho)
    d = x.shape[1]
    missing = np.empty(len(where))
    for t in range(len(x)):
        row = x[t]
        row[0] = rng.standard_normal()
        for j in range(1, d):
            row[j] = rho * row[j - 1] + fresh * rng.standard_normal()
        for k in range(len(where)):
            missing[k] = known[t, k] - row[where[k]]
        for m in range(len(target)):
            row[target[m]] += weight[m] * missing[source[m]]
        for j in range(d):
            row[j] = min(max(row[j], -clip), clip)
