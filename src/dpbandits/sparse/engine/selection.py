"""Peeling's selections: s noisy maxima of |v|, one after the other, without replacement."""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import exponential, laplace, normals

# What Peeling's noise is: Laplace vectors, one for each round, that consecutive estimates share or
# that are fresh; or one Gumbel vector for all rounds of a step.
REUSED, FRESH, GUMBEL = 0, 1, 2


@jit
def laplaces(stream, count):
    found = np.empty(count)
    for j in range(count):
        found[j] = laplace(stream, 1.0)
    return found


@jit
def selection_noise(stream, kind, rounds, d):
    """As many vectors of scale 1 as so many rounds need."""
    if kind != GUMBEL:
        return laplaces(stream, rounds * d).reshape(rounds, d)
    found = np.empty((1, d))
    for j in range(d):
        found[0, j] = -math.log(exponential(stream))
    return found


@jit
def release_noise(stream, kind, rounds):
    return normals(stream, rounds) if kind == GUMBEL else laplaces(stream, rounds)


@jit
def winners(v, xi, noise, rounds, inexact, slack):
    """Round by round the column with the largest |v| + xi noise among those that did not win yet.

    v may be off by `slack` where it is `inexact`. At the first round where that matters, these
    columns are returned beside the winners so far: v must be exact there. Otherwise none are.
    """
    chosen, left = np.empty(rounds, np.int64), np.ones(len(v), np.bool_)
    for i in range(rounds):
        best, leader, own = -np.inf, -1, noise[min(i, len(noise) - 1)]
        for j in range(len(v)):
            noisy = abs(v[j]) + xi * own[j]
            if noisy > best and left[j]:
                best, leader = noisy, j
        if slack > 0:
            near = np.abs(v) + xi * own >= best - 2 * slack  # one of them is the largest
            to_refine = np.flatnonzero(near & inexact & left)
            if len(to_refine) > 0:
                return chosen[:i], to_refine
        left[leader], chosen[i] = False, leader
    return chosen, chosen[:0]


@jit
def winners_of_fresh_noise(stream, sizes, rounds, xi):
    """The same for |v| = `sizes`, exact, and Laplace noise that is drawn only where it can win.

    The largest sizes get their noise in full. Any other column wins only if its Laplace number
    exceeds the height from the largest of these other sizes to the leader. Each does so with the
    same probability p: the next one that does lies a geometric number of columns ahead, and exceeds
    the height by an exponential number.
    """
    d = len(sizes)
    count = min(d, rounds + math.ceil(math.sqrt(d)))
    order = np.argsort(-sizes) if count == d else np.argpartition(-sizes, count)
    top = 0.0  # of the other sizes
    for j in order[count:]:
        top = max(top, sizes[j])
    taken, chosen = np.zeros(d, np.bool_), np.empty(rounds, np.int64)
    for i in range(rounds):
        best, leader = -np.inf, -1
        for j in order[:count]:
            noisy = sizes[j] + xi * laplace(stream, 1.0)
            if noisy > best and not taken[j]:
                best, leader = noisy, j
        height = (best - top) / xi if xi > 0 else -1.0
        rate = -math.log1p(-0.5 * math.exp(-height)) if height >= 0 else np.inf  # p = 1 - e^-rate
        place = count - 1.0
        while True:
            place += 1.0 + math.floor(exponential(stream) / rate)
            if not place < d:
                break
            j = order[int(place)]
            above = height + exponential(stream) if height >= 0 else laplace(stream, 1.0)
            noisy = sizes[j] + xi * above
            if noisy > best and not taken[j]:
                best, leader = noisy, j
        taken[leader], chosen[i] = True, leader
    return chosen
