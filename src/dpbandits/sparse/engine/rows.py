"""Rows of N(0, Sigma) with Sigma_ij = rho^|i-j|, and given some of their coordinates.

Sigma makes the columns a Markov chain, x_j = rho x_{j-1} + sqrt(1 - rho^2) g. Given some known
columns, another one depends only on its neighbours, the nearest known one on either side. To draw a
normal vector given some of its coordinates, draw it freely, then add its regression on the
differences between the given coordinates and the drawn ones.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.variates import gamma, normals


@jit
def normal_vectors(stream, count, n, used, r):
    """Independent standard normal n-vectors (count x r), of R^n with `used` axes in use."""
    x = np.zeros((count, r))
    for i in range(count):
        x[i, :used] = normals(stream, used)
        if used < n:
            x[i, used] = math.sqrt(2.0 * gamma(stream, 0.5 * (n - used)))  # chi(n - used)
            used += 1
    return x


@jit
def free_columns(stream, rho, where, n, used, r):
    """The columns at the ascending coordinates `where` of rows of which nothing is known."""
    x = normal_vectors(stream, len(where), n, used, r)
    for k in range(1, len(where)):
        correlation = rho ** float(where[k] - where[k - 1])
        fresh = math.sqrt(1 - correlation * correlation)
        x[k] = fresh * x[k] + correlation * x[k - 1]
    return x


@jit
def weights_of_two(a, b):
    """The regression of a standard normal variable on its two neighbours in a Markov chain.

    a and b are its correlations with them; theirs with each other is a b.
    """
    return a * (1 - b * b) / (1 - (a * b) ** 2), b * (1 - a * a) / (1 - (a * b) ** 2)


@jit
def regression_on_neighbours(where, d, rho):
    """The regression of each of the d columns on the known ones, at the ascending `where`.

    Returns (place, left, right) with E(x_j | x at `where`) = left_j x_a + right_j x_b, where the
    neighbours are a = where[place_j - 1], below j, and b = where[place_j], at or above j. A weight
    is 0 where there is no such neighbour.
    """
    known = np.zeros(d, np.bool_)
    known[where] = True
    below, above = np.zeros(d + 1), np.zeros(d + 1)  # correlations; below[j + 1] is that of j
    for j in range(d):
        below[j + 1] = rho if known[j] else rho * below[j]
    for j in range(d - 1, -1, -1):
        above[j] = 1.0 if known[j] else rho * above[j + 1]
    left, right = weights_of_two(below[:d], above[:d])
    return np.searchsorted(where, np.arange(d)), left, right


@jit
def add_regression(row, differences, regression):
    """Add to a row of X its regression on the differences of its entries at `where`."""
    place, left, right = regression
    for j in range(len(row)):
        k = place[j]
        if k > 0:
            row[j] += left[j] * differences[k - 1]
        if k < len(differences):
            row[j] += right[j] * differences[k]


@jit
def normal_row(stream, rho, d):
    """A draw of N(0, Sigma), by x_j = rho x_{j-1} + sqrt(1 - rho^2) g_j."""
    x = normals(stream, d)
    fresh = math.sqrt(1 - rho * rho)
    for j in range(1, d):
        x[j] = rho * x[j - 1] + fresh * x[j]
    return x


@jit
def times_sigma(rho, where, weights):
    """Sigma w at the ascending coordinates `where`; w is `weights` there and 0 elsewhere."""
    total, below, above = weights.copy(), 0.0, 0.0
    last = len(where) - 1
    for k in range(1, last + 1):
        below = (below + weights[k - 1]) * rho ** float(where[k] - where[k - 1])
        total[k] += below
        j = last - k
        above = (above + weights[j + 1]) * rho ** float(where[j + 1] - where[j])
        total[j] += above
    return total
